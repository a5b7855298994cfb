"""An RTSP server by GStreamer: its media comes from a file over and over; what it asks of a reader is in its arguments."""
import json
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtsp", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import Gio, GLib, Gst, GstRtsp, GstRtspServer

options = json.loads(sys.stdin.read())
Gst.init(None)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(str(options["port"]))
factory = GstRtspServer.RTSPMediaFactory()
if "file" in options:
    # It plays once, and picture and sound have one clock.
    factory.set_launch(
        f'( filesrc location="{options["file"]}" ! qtdemux name=demux demux. ! queue ! rtph264pay name=pay0 pt=96 config-interval=-1 '
        "demux. ! queue ! rtpmp4gpay name=pay1 pt=97 )"
    )
else:
    # The picture and the sound come from an ffmpeg as RTP, and are sent on as they are.
    video, audio = options["rtp"]
    factory.set_launch(
        f'( udpsrc address=127.0.0.1 port={video} caps="application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96" '
        "! rtpjitterbuffer latency=50 ! rtph264depay ! rtph264pay name=pay0 pt=96 config-interval=-1 "
        f'udpsrc address=127.0.0.1 port={audio} caps="application/x-rtp,media=audio,encoding-name=MPEG4-GENERIC,clock-rate=48000,'
        'payload=97,mode=(string)AAC-hbr,config=(string)1188,sizelength=(string)13,indexlength=(string)3,indexdeltalength=(string)3" '
        "! rtpjitterbuffer latency=50 ! rtpmp4gdepay ! rtpmp4gpay name=pay1 pt=97 )"
    )
# Any number of readers share one feed.
factory.set_shared(True)
lower = {"tcp": GstRtsp.RTSPLowerTrans.TCP, "udp": GstRtsp.RTSPLowerTrans.UDP}
protocols = GstRtsp.RTSPLowerTrans(0)
for name in options["transports"]:
    protocols |= lower[name]
factory.set_protocols(protocols)
user = options.get("user")
certificate = options.get("certificate")
if user is not None or certificate is not None:
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "reader")
    if user is None:
        auth.set_default_token(token)
    elif options["method"] == "digest":
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(user, options["password"], token)
    else:
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.BASIC)
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, options["password"]), token)
    if certificate is not None:
        auth.set_tls_certificate(Gio.TlsCertificate.new_from_files(certificate, options["key"]))
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("reader", "media.factory.access", True)
    permissions.add_permission_for_role("reader", "media.factory.construct", True)
    factory.set_permissions(permissions)
server.get_mount_points().add_factory("/live", factory)
if server.attach(None) == 0:
    sys.exit("the port is taken")
loop = GLib.MainLoop()
GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGTERM, loop.quit)
print("ready", flush=True)
loop.run()
