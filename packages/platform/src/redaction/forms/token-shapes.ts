import { atWordStart, type SecretScan } from './secret-scan.ts'

/** Tokens that are known by their shape alone, and addresses that let whoever has them post. */
const SHAPES: ReadonlyArray<[part: string, shape: RegExp]> = [
  // A Telegram bot's token.
  [':A', /(?<![0-9])[0-9]{6,12}:A[\w-]{32,36}(?![\w-])/g],
  // A Discord bot's token: its id, a time and a signature.
  ['.', atWordStart(/[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{25,40}(?![\w-])/)],
  // A client secret of Microsoft Entra.
  ['Q~', atWordStart(/[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])/)],
  // Keys of Mailchimp and Mailgun.
  ['-', atWordStart(/[0-9a-f]{32}-(?:us[0-9]{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])/)],
  ['.atlasv1.', atWordStart(/[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}/)],
  ['_mmk', atWordStart(/[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)/)],
  ['pat', atWordStart(/pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/)],
  // Asana.
  ['/', atWordStart(/[0-9]\/[0-9]{10,20}(?:\/[0-9]{10,20})?:[0-9a-f]{32}(?!\w)/)],
  // Cookies of a session.
  [
    'ess',
    /(?<=\b(?:_gitlab_session|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|laravel_session|sessionid)=)[\w%.-]{16,500}/g,
  ],
  // The key of a function in Azure.
  [
    'azurewebsites',
    /(?<=azurewebsites\.[^\s"'?]{1,200}\?(?:[^\s"']{0,200}&)?code=)[\w%=/+-]{20,200}/g,
  ],
  // A service client of Authress.
  [
    '.acc',
    /(?<!\w)(?:sc|ext|scauth|authress)_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,120}/g,
  ],
  // Hashes of passwords: bcrypt, then crypt(3) and Argon2.
  ['$', /\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{50,60}/g],
  [
    '$',
    /\$(?:[156]|apr1|sha1)\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,32}\$[./A-Za-z0-9]{20,120}/g,
  ],
  ['$', /\$(?:(?:y|gy|7)\$[./A-Za-z0-9$]{30,200}|argon2(?:id|i|d)\$[\w=,+/$]{20,300})/g],
  // The private members of a JSON Web Key.
  [
    'kty',
    /(?<=\b(?:d|p|q|dp|dq|qi|k)\\{0,3}"[ \t]{0,4}:[ \t]{0,4}\\{0,3}")[\w-]{20,2000}(?=\\{0,3}")/g,
  ],
  [
    'hooks.slack',
    /(?<=hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,200}/g,
  ],
  [
    'discord',
    /(?<=discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/)[0-9]{5,25}\/[\w-]{8,200}/g,
  ],
  ['office', /(?<=(?:webhook|outlook)\.office\.com\/webhook(?:b2)?\/)[\w@/-]{8,400}/g],
  ['hooks.zapier', /(?<=hooks\.zapier\.com\/hooks\/catch\/)[\w/-]{8,100}/g],
  ['maker.ifttt', /(?<=maker\.ifttt\.com\/[\w/-]{1,100}\/key\/)[\w-]{8,100}/g],
]

export const hideShapedTokens = (scan: SecretScan): void => {
  for (const [part, shape] of SHAPES) {
    // Few texts have the part, and looking for a plain string costs next to nothing.
    if (!scan.text.includes(part)) continue
    for (const { index, 0: found } of scan.text.matchAll(shape)) {
      scan.look(found.length)
      scan.hide(index, index + found.length)
    }
  }
}
