/** Help texts of Sources, Devices and Encodings, and of what DRM providers have in common with them. */
import type { HelpTexts } from './texts.ts';

export const sourcesHelp: HelpTexts = {
  'Name, 1-100 characters, unique.': [
    'At most 100 characters, and no other one has it.',
    'Como mucho 100 caracteres; no hay otro con este nombre.',
  ],
  'Short label.': ['Short label.', 'Una etiqueta corta.'],
  'Free text.': ['Free text.', 'Texto libre.'],
  'Kind of source.': [],
  'Those of the type alone.': [],
  'Settings of the type.': [],
  'Stream: http(s), rtmp(s), rtsp(s), udp, rtp, rist.': [
    'Begins with http, https, rtmp, rtmps, rtsp, rtsps, udp, rtp or rist; rist://@:5004 waits for its sender.',
    'Empieza por http, https, rtmp, rtmps, rtsp, rtsps, udp, rtp o rist; rist://@:5004 espera a su emisor.',
  ],
  'UDP-R Cloud: false = plain UDP, else RIST.': [
    'Lost packets are sent again (RIST). Switched off: plain UDP.',
    'Los paquetes perdidos se reenvían (RIST). Desactivado: UDP simple.',
  ],
  'UDP-R Cloud: ms (default 1000).': ['1000 when empty.', '1000 si se deja vacío.'],
  'UDP-R Cloud. Write-only.': [
    'Both ends have the same. It is not shown again.',
    'Los dos lados tienen el mismo. No se vuelve a mostrar.',
  ],
  'UDP-R Cloud: AES (default 128).': [
    'Length of the AES key in bits where there is a secret.',
    'Longitud de la clave AES en bits si hay un secreto.',
  ],
  'RTSP (auto: TCP, else UDP).': [
    'For RTSP. Automatic tries TCP first, then UDP.',
    'Para RTSP. Automático prueba primero TCP y luego UDP.',
  ],
  'Stream: program (default: first).': [
    'Number of the program in an MPEG-TS; empty: the first one.',
    'Número del programa en un MPEG-TS; vacío: el primero.',
  ],
  'Stream: audio track (default: 0).': [
    'Counted from 0; empty: the first one.',
    'Se cuenta desde 0; vacío: la primera.',
  ],
  'File: Asset in the bucket files.': ['A file of the page Assets.', 'Un archivo de la página Recursos.'],
  'File: repeat (default true).': ['Begins anew at its end.', 'Empieza de nuevo al terminar.'],
  'SRT (default caller).': [
    'Caller: this system calls the source. Listener: the source calls this system.',
    'Caller: este sistema llama a la fuente. Listener: la fuente llama a este sistema.',
  ],
  'SRT: to call, or to listen on.': [
    'The host to call, or the address to listen on.',
    'El host al que se llama, o la dirección en la que se escucha.',
  ],
  'UDP or TCP; cloud default 20000 + id.': ['UDP or TCP; cloud default 20000 + id.', 'UDP o TCP.'],
  'SRT. Answered masked.': [
    'A listener lets in nobody else. Only its end is shown later.',
    'Un listener no deja entrar a nadie más. Después solo se muestra el final.',
  ],
  'SRT: ms (default 200).': ['200 when empty.', '200 si se deja vacío.'],
  'SRT. Write-only.': [
    'Both sides have the same. It is not shown again.',
    'Los dos lados tienen la misma. No se vuelve a mostrar.',
  ],
  'AES bits; 128 if a passphrase is sent.': [
    'Length of the AES key in bits; 128 where there is a passphrase.',
    'Longitud de la clave AES en bits; 128 si hay frase de paso.',
  ],
  'RTMP-Push: application.': ['The part of the address before the key.', 'La parte de la dirección antes de la clave.'],
  'RTMPS only.': [
    'Encoders connect by rtmps:// alone. It needs a certificate of the Device; the usual port is 1936.',
    'Los codificadores se conectan solo por rtmps://. Necesita un certificado del dispositivo; el puerto habitual es 1936.',
  ],
  'RTMP-Push: key (default: made). Masked.': [
    'Left empty, one is made. Only its end is shown in lists.',
    'Si se deja vacía, se crea una. En las listas solo se muestra el final.',
  ],
  'Pushed: networks (CIDR).': [
    'Networks that may send, such as 192.0.2.0/24; none: all may.',
    'Redes que pueden enviar, como 192.0.2.0/24; ninguna: todas pueden.',
  ],
  'Cloud types: Cloud account.': ['Cloud types: Cloud account.', 'La cuenta de nube en la que se recibe.'],
  'SDI, AES/EBU: Device.': ['The Device that has the card.', 'El dispositivo que tiene la tarjeta.'],
  'SDI, AES/EBU: input, from 0.': ['Counted from 0.', 'Se cuenta desde 0.'],
  'NDI: HOST (name).': ['As it is announced: HOST (name).', 'Como se anuncia: HOST (nombre).'],
  'NDI: hosts asked.': [
    'Machines whose sources are not announced here, such as those of another network.',
    'Equipos cuyas fuentes no se anuncian aquí, como los de otra red.',
  ],
  '1, 2, 6, 8 a track.': [
    'Channels of each audio track, in order, 16 in all, such as 2, 6, 2. None: pairs.',
    'Canales de cada pista de sonido, en orden, 16 en total, por ejemplo 2, 6, 2. Ninguno: pares.',
  ],
  'NDI: default auto.': ['How it is found in the network.', 'Cómo se encuentra en la red.'],
  'VideoSite Live: id.': ['VideoSite Live: id.', 'El identificador en VideoSite.'],
  'false: not listened for, and cannot be started.': [
    'Switched off, nothing listens for it, and nothing can start with it.',
    'Desactivada, nadie la espera y nada puede iniciarse con ella.',
  ],
  'RTMP-Push, SRT listener: Device that listens (default: this machine).': [
    'The Device that listens for it; empty: this machine.',
    'El dispositivo que la espera; vacío: esta máquina.',
  ],
  'Name of the client, 1-100 characters, unique.': [
    'At most 100 characters, and no other account has it.',
    'Como mucho 100 caracteres; ninguna otra cuenta lo tiene.',
  ],
  'User id at the cloud platform, 1-100 characters.': [
    'The id of the user at the cloud platform.',
    'El identificador del usuario en la plataforma de nube.',
  ],
  'Whether Live streams may use it.': ['Live streams may use it.', 'Las emisiones pueden usarla.'],
  'API token at the cloud platform, 1-512 characters. Write-only.': [
    'The API token of the cloud platform. It is not shown again.',
    'El token de API de la plataforma de nube. No se vuelve a mostrar.',
  ],
  'Name (alias), 1-100 characters, unique.': [
    'At most 100 characters, and no other Device has it.',
    'Como mucho 100 caracteres; ningún otro dispositivo lo tiene.',
  ],
  'Where it stands.': ['Where it stands.', 'Dónde está.'],
  'Address of the agent: host or host:port (8092).': [
    'Host, or host:port; the port is 8092 unless told otherwise.',
    'Host, o host:puerto; el puerto es 8092 si no se indica otro.',
  ],
  'cloud: taken once no other has room, or when named. relay: takes only what is copied.': [
    'A Cloud one is taken once no other has room, or when it is named. A Relay takes only what is copied.',
    'Uno en la nube se usa cuando no queda sitio en los demás, o si se indica. Un relé solo admite lo que se copia.',
  ],
  'Whether it may be given Live streams.': ['It may be given Live streams.', 'Puede recibir emisiones.'],
  'One-time user name that the agent shows.': [
    'One-time user name that the agent shows.',
    'El nombre de un solo uso que muestra el agente.',
  ],
  'One-time password that the agent shows; not stored.': [
    'The one-time password that the agent shows.',
    'La contraseña de un solo uso que muestra el agente.',
  ],
  'Ids of the member Devices, all of one type.': ['All of one type.', 'Todos de un mismo tipo.'],
  'What the token is for, 1-100 characters.': ['What it is for.', 'Para qué es.'],
  'Device group to join; left out: none.': [
    'The machines that join become members of it.',
    'Las máquinas que ingresan pasan a ser miembros.',
  ],
  'Devices that may join, 1-10000.': ['So many machines may join with it.', 'Cuántas máquinas pueden ingresar con él.'],
  'Days until it expires, 1-30.': ['Days until it expires, 1-30.', 'Días hasta que caduca, de 1 a 30.'],
  'Whether Destinations may use it.': ['Destinations may use it.', 'Los destinos pueden usarlo.'],
  'DRM systems that it delivers.': ['DRM systems that it delivers.', 'Los sistemas de DRM que entrega.'],
  'Write-only; null: none.': ['They are not shown again.', 'No se vuelven a mostrar.'],
  'Content it belongs to; null: any other.': [
    'The content it belongs to; empty: any other.',
    'El contenido al que pertenece; vacío: cualquier otro.',
  ],
  'Tracks that it encrypts.': ['Tracks that it encrypts.', 'Las pistas que cifra.'],
  'Key id, 32 hexadecimal digits.': ['32 hexadecimal digits.', '32 cifras hexadecimales.'],
  'AES-128 key, 32 hexadecimal digits.': [
    'AES-128 key, 32 hexadecimal digits.',
    'Clave AES-128: 32 cifras hexadecimales.',
  ],
  'Constant IV of cbcs; null: the key id.': [
    'Constant IV for cbcs; empty: the key id.',
    'IV constante para cbcs; vacío: el id de la clave.',
  ],
  'Video settings.': [],
  'Audio settings.': [],
  'The same as name; send one of them.': [],
};
