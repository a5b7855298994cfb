/** Help texts of DRM providers, of clips and of the transcription provider. */
import type { HelpTexts } from './texts.ts';

export const servicesHelp: HelpTexts = {
  'SPEKE: a key server. STATIC: keys held here.': [
    'SPEKE: a key server. STATIC: keys held here.',
    'SPEKE: un servidor de claves. STATIC: claves guardadas aquí.',
  ],
  'SPEKE: content keys come encrypted for the certificate of this provider, beside TLS.': [
    'The key server encrypts them for the certificate that is shown here.',
    'El servidor de claves las cifra para el certificado que se muestra aquí.',
  ],
  'SPEKE: http(s) URL of the key server, without credentials.': [
    'Address of the key server, http or https, without user and password.',
    'Dirección del servidor de claves, http o https, sin usuario ni contraseña.',
  ],
  'SPEKE: tenant at the key server, sent as the header X-Tenant-Id.': [
    'Your tenant at the key server, where it has several.',
    'Su inquilino en el servidor de claves, si tiene varios.',
  ],
  'SPEKE: user of HTTP Basic.': ['SPEKE: user of HTTP Basic.', 'El usuario de HTTP Basic.'],
  'SPEKE: password of HTTP Basic.': ['SPEKE: password of HTTP Basic.', 'La contraseña de HTTP Basic.'],
  'SPEKE: bearer token, in place of user and password.': [
    'A bearer token, in place of user and password.',
    'Un token, en lugar de usuario y contraseña.',
  ],
  'STATIC: the keys, replaced as a whole.': [
    'All of them are replaced by what stands here.',
    'Todas se sustituyen por lo que hay aquí.',
  ],
  'Where it begins: seconds from the beginning of the Recording, with fractions. With out, or segments.': [
    'Seconds from the beginning of the Recording.',
    'Segundos desde el comienzo de la grabación.',
  ],
  'Several pieces in place of in and out, in the order in which the clip shows them; they may overlap.': [
    'Several pieces in the order of the clip.',
    'Varios fragmentos en el orden del clip.',
  ],
  'Where the piece begins, seconds from the beginning of the Recording.': [
    'Seconds from the beginning of the Recording.',
    'Segundos desde el inicio de la grabación.',
  ],
  'Where the piece ends, the same way; the picture at this instant is not in it.': [
    'Seconds from the beginning; the picture at this instant is not in it.',
    'Segundos desde el inicio; la imagen de ese instante no está dentro.',
  ],
  'Where it ends, the same way; the picture at this instant is not in it.': [
    'Seconds from the beginning of the Recording.',
    'Segundos desde el comienzo de la grabación.',
  ],
  'accurate: by the picture, coded anew. keyframe: from the keyframe at or before in, copied at once.': [
    'Accurate: to the picture, encoded anew. Keyframe: begins at the keyframe before, copied at once.',
    'Preciso: a la imagen, codificado de nuevo. Imagen clave: empieza en la anterior, se copia al momento.',
  ],
  'Id of the collection there; left out: the default of the settings; null: none.': [
    'The collection at the provider, by its id; empty: the usual one.',
    'Id de la colección en el proveedor; vacío: la habitual.',
  ],
  'Id of the template there; left out: the default of the settings; null: none.': [
    'The template at the provider, by its id; empty: the usual one.',
    'Id de la plantilla en el proveedor; vacío: la habitual.',
  ],
  'API key of the account, 1-2048 characters; null removes it. Write-only.': [
    'The API key of the account. It is not shown again.',
    'La clave de API de la cuenta. No se vuelve a mostrar.',
  ],
  'Id of the collection that assets are handed to; null: none.': [
    'Where assets go when nothing else is said.',
    'Adónde van los recursos si no se dice otra cosa.',
  ],
  'Id of the template that assets are processed with; null: none.': [
    'How assets are processed when nothing else is said.',
    'Cómo se procesan los recursos si no se dice otra cosa.',
  ],
  'http(s) URL of the tenant at the provider, without credentials; null: not set up.': [
    'Address of your tenant at the provider, http or https, without user and password.',
    'Dirección de su inquilino en el proveedor, http o https, sin usuario ni contraseña.',
  ],
  'How many of its Devices may be lost: starts keep so much free.': [
    'How many of its Devices may be lost: starts keep so much free.',
    'Cuántos de sus dispositivos se pueden perder: los inicios dejan libre lo necesario.',
  ],
};
