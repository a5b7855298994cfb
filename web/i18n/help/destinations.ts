/** Help texts of Destinations, folders, Assets and Recordings. */
import type { HelpTexts } from './texts.ts';

export const destinationsHelp: HelpTexts = {
  'Kind of Destination.': [],
  'Encryption; null = clear.': [
    'Without it everything is delivered in the clear.',
    'Sin él todo se entrega sin cifrar.',
  ],
  'Is encrypted.': ['What is delivered is encrypted.', 'Lo que se entrega va cifrado.'],
  'Id of the DRM provider.': ['Where its keys come from.', 'De dónde vienen sus claves.'],
  'At the key server.': [
    'The id of this content at the key server.',
    'El id de este contenido en el servidor de claves.',
  ],
  'On the manifest.': ['Those that players are told of.', 'Los que se anuncian a los reproductores.'],
  'null: cbcs with Fairplay, else cenc.': [
    'Empty: cbcs where Fairplay is among the systems, otherwise cenc.',
    'Vacío: cbcs si Fairplay está entre los sistemas; si no, cenc.',
  ],
  'Key rotation.': [
    'Minutes after which what is delivered gets new keys: 15 to 1440. Empty: the keys stay.',
    'Minutos tras los que lo que se entrega recibe claves nuevas: de 15 a 1440. Vacío: las claves se quedan.',
  ],
  'Retry budget.': [
    'How often, and how soon, it is tried again.',
    'Cuántas veces y con qué espera se vuelve a intentar.',
  ],
  'Attempts until failed.': ['After so many it has failed.', 'Tras tantos intentos ha fallado.'],
  'First delay.': [],
  'Longest delay.': [],
  'Primary path delivers.': ['The primary path delivers.', 'La vía principal entrega.'],
  'Backup path delivers.': ['The backup path delivers.', 'La vía de reserva entrega.'],
  'Id elsewhere.': ['Its id in a catalogue elsewhere.', 'Su id en un catálogo externo.'],
  'token: see createPlaybackLink.': [
    'Public: anybody who knows the address. Token: only with a link that ends.',
    'Público: cualquiera que sepa la dirección. Token: solo con un enlace que caduca.',
  ],
  'Platform, of listPresets; a start warns of its demands.': [
    'The platform; a start warns of what it demands.',
    'La plataforma; un inicio avisa de lo que exige.',
  ],
  'null: served by the Device (HLS / TS, DASH, CMAF).': [
    'Where it is delivered to. HLS, DASH and CMAF are served by the Device when it is empty.',
    'Adónde se entrega. HLS, DASH y CMAF los sirve el dispositivo si se deja vacía.',
  ],
  'Second path.': ['A second path, which runs beside the first.', 'Una segunda vía, que funciona junto a la primera.'],
  'At the target.': ['At the target.', 'En el servidor de destino.'],
  'Seconds.': [],
  'Segments.': ['Segments in the playlist.', 'Segmentos en la lista.'],
  'Seconds to seek back.': ['So far viewers may seek back.', 'Hasta dónde pueden retroceder los espectadores.'],
  'Viewers 2 s behind.': ['Viewers are some 2 seconds behind.', 'Los espectadores van unos 2 segundos por detrás.'],
  'Remote Folder id: backup before delete_after.': [
    'It is copied there before it is deleted here.',
    'Se copia allí antes de borrarse aquí.',
  ],
  'Record: days until deletion; null = never.': ['Empty: never.', 'Vacío: nunca.'],
  'Record: file format.': [],
  'For rist://.': ['For addresses with rist.', 'Para direcciones con rist.'],
  'simple: two ports, no secret.': [
    'Main has encryption and one port; simple has no encryption and takes the next port too.',
    'El principal tiene cifrado y un puerto; el simple no tiene cifrado y usa también el puerto siguiente.',
  ],
  'RIST: for lost packets, ms.': [
    'In this time lost packets are sent again.',
    'En este tiempo se reenvían los paquetes perdidos.',
  ],
  'RIST. Write-only.': [
    'Both ends have the same. It is not shown again.',
    'Los dos lados tienen el mismo. No se vuelve a mostrar.',
  ],
  'RIST: AES bits.': [
    'Length of the AES key in bits where there is a secret.',
    'Longitud de la clave AES en bits si hay un secreto.',
  ],
  'Answered masked.': ['Only its end is shown later.', 'Después solo se muestra el final.'],
  'Write-only.': ['It is not shown again.', 'No se vuelve a mostrar.'],
  's3: access key of the bucket. Write-only.': [
    'For an s3:// address. It is not shown again.',
    'Para una dirección s3://. No se vuelve a mostrar.',
  ],
  's3: secret key of the bucket. Write-only.': [
    'For an s3:// address. It is not shown again.',
    'Para una dirección s3://. No se vuelve a mostrar.',
  ],
  'SRT options.': [],
  'Latency in milliseconds.': [],
  'Stream id, such as #!::r=live,m=publish. Answered masked.': [
    'Such as #!::r=live,m=publish. Only its end is shown later.',
    'Por ejemplo #!::r=live,m=publish. Después solo se muestra el final.',
  ],
  'Ids of the member Publishings, at most 20.': ['At most 20.', 'Como mucho 20.'],
  'true: also end removed ones that are on air.': [
    'What is removed and on air ends now.',
    'Lo que se quita y está en el aire termina ahora.',
  ],
  'NFS (version 4) or WEBDAV.': ['NFS (version 4) or WEBDAV.', 'NFS (versión 4) o WebDAV.'],
  'NFS: host or host:port. WEBDAV: http(s) URL, or a host (with :port), which means https.': [
    'NFS: host or host:port. WebDAV: an http or https address; a host alone means https.',
    'NFS: host o host:puerto. WebDAV: una dirección http o https; un host solo significa https.',
  ],
  'NFS: exported path. WEBDAV: path on the server. It must exist.': [
    'The exported path (NFS) or the path on the server (WebDAV). It must exist.',
    'La ruta exportada (NFS) o la ruta en el servidor (WebDAV). Debe existir.',
  ],
  'WEBDAV: user name. NFS: kept, never sent.': ['For WebDAV; NFS has none.', 'Para WebDAV; NFS no tiene.'],
  'WEBDAV: password. NFS: kept, never sent. Write-only.': [
    'For WebDAV. It is not shown again.',
    'Para WebDAV. No se vuelve a mostrar.',
  ],
  'Protocol.': [],
  'FTP: required (the default) sends nothing in the clear; offered: TLS where the server has it, and always once it had; none.':
    [
      'For FTP. Required: nothing is sent in the clear. Offered: TLS where the server has it.',
      'Para FTP. Obligatorio: nada se envía sin cifrar. Ofrecido: TLS si el servidor lo tiene.',
    ],
  'FTP, SFTP: host name or IP address.': ['Host name or IP address.', 'Nombre de host o dirección IP.'],
  'FTP, SFTP: port; null: 21, 22.': ['Empty: 21 for FTP, 22 for SFTP.', 'Vacío: 21 para FTP, 22 para SFTP.'],
  'FTP, SFTP: existing path, null: where the user arrives. S3: key prefix.': [
    'A path that exists; empty: where the user arrives. S3: the beginning of each key.',
    'Una ruta que existe; vacío: donde llega el usuario. S3: el comienzo de cada clave.',
  ],
  'FTP, SFTP: user name.': [],
  'FTP, SFTP: password. Write-only.': ['It is not shown again.', 'No se vuelve a mostrar.'],
  "SFTP: SHA256:… of the server's host key; null: the next validation trusts and stores what it finds.": [
    "SHA256:… of the server's host key; empty: the next validation trusts what it finds, and keeps it.",
    'SHA256:… de la clave del servidor; vacío: la próxima comprobación acepta la que encuentre y la guarda.',
  ],
  'S3: bucket.': [],
  'S3: region; null: us-east-1.': ['Empty: us-east-1.', 'Vacío: us-east-1.'],
  'S3: http(s) URL of an S3-compatible server; null: AWS.': [
    'Address of a server that speaks S3; empty: AWS.',
    'Dirección de un servidor que habla S3; vacío: AWS.',
  ],
  'S3: access key id.': [],
  'S3: secret access key. Write-only.': ['It is not shown again.', 'No se vuelve a mostrar.'],
  'Bucket: logos, files or clips.': [],
  'Target Folder: id or name.': [
    'The number that an Administrator tells, or the name.',
    'El número que indica un administrador, o el nombre.',
  ],
  'Name there, no path; left out: that of the Asset.': [
    'Its name there; empty: as here.',
    'Su nombre allí; vacío: como aquí.',
  ],
  'Put it in place of what has that name there.': [
    'Takes the place of what has that name there.',
    'Sustituye a lo que tenga ese nombre allí.',
  ],
  'File name, 1-255 characters, no path; left out: that of the uploaded file.': [
    'Empty: that of the file.',
    'Vacío: el del archivo.',
  ],
  'Track of getRecordingTracks, with the first sound; left out: the largest picture.': [
    'Empty: the largest picture.',
    'Vacío: la imagen más grande.',
  ],
  'Name of the Asset, ends in .mp4; left out: Live stream, time and length.': [
    'Ends in .mp4; empty: Live stream, time and length.',
    'Termina en .mp4; vacío: emisión, hora y duración.',
  ],
  'Which of its files, from 1; one as a rule.': ['Counted from 1.', 'Se cuenta desde 1.'],
  'Seconds until it expires, 1-604800 (a week); 12 hours when left out.': [
    'A week at most; 12 hours when empty.',
    'Una semana como mucho; 12 horas si se deja vacío.',
  ],
  'Seconds until it expires, 1-86400.': ['A day at most.', 'Un día como mucho.'],
  'Publishing id: a Destination of the Live stream, with access token.': [
    'A Destination of the Live stream whose access is by token.',
    'Un destino de la emisión con acceso por token.',
  ],
  'Id of the Recording.': [],
  'Clip in the bucket clips, in place of recordingId.': [
    'A clip, in place of a Recording.',
    'Un clip, en lugar de una grabación.',
  ],
  'Content as base64, 8 MB at most once decoded; over REST send a file instead.': [],
};
