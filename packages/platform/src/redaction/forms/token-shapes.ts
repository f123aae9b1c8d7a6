import { partsOf } from './held-parts.ts'
import { atWordStart, findGuarded, type GuardedPattern, type SecretScan } from './secret-scan.ts'

/** Tokens with a characteristic shape, and addresses that allow posting without another secret. */
const SHAPES: readonly GuardedPattern[] = [
  // A Telegram bot's token.
  { parts: partsOf(':a'), pattern: () => /(?<![0-9])[0-9]{6,12}:A[\w-]{32,36}(?![\w-])/g },
  // A Discord bot's token: its id, a time and a signature.
  {
    parts: partsOf('.'),
    pattern: () => atWordStart(/[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{25,40}(?![\w-])/),
    needsLongRun: true,
  },
  // A client secret of Microsoft Entra.
  { parts: partsOf('q~'), pattern: () => atWordStart(/[\w~.-]{3}[0-9]Q~[\w~.-]{31,34}(?![\w~-])/) },
  // Keys of Mailchimp and Mailgun.
  {
    parts: partsOf('-'),
    pattern: () => atWordStart(/[0-9a-f]{32}-(?:us[0-9]{1,2}|[0-9a-f]{8}-[0-9a-f]{8})(?![\w-])/),
    needsLongRun: true,
  },
  {
    parts: partsOf('.atlasv1.'),
    pattern: () => atWordStart(/[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,80}/),
  },
  {
    parts: partsOf('_mmk'),
    pattern: () => atWordStart(/[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?!\w)/),
  },
  {
    parts: partsOf('pat'),
    pattern: () => atWordStart(/pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?!\w)/),
    needsLongRun: true,
  },
  // Asana.
  {
    parts: partsOf('/'),
    pattern: () => atWordStart(/[0-9]\/[0-9]{10,20}(?:\/[0-9]{10,20})?:[0-9a-f]{32}(?!\w)/),
    needsLongRun: true,
  },
  // Cookies of a session.
  {
    parts: partsOf('_session=|sessid=|sessionid='),
    pattern: () =>
      /(?<=\b(?:_gitlab_session|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|laravel_session|sessionid)=)[\w%.-]{16,500}/g,
  },
  // The key of a function in Azure.
  {
    parts: partsOf('azurewebsites'),
    pattern: () =>
      /(?<=azurewebsites\.[^\s"'?]{1,200}\?(?:[^\s"']{0,200}&)?code=)[\w%=/+-]{20,200}/g,
  },
  // A service client of Authress.
  {
    parts: partsOf('.acc'),
    pattern: () =>
      /(?<!\w)(?:sc|ext|scauth|authress)_\w{5,30}\.\w{4,6}\.acc[_-][\w-]{10,32}\.[\w+/=-]{30,120}/g,
  },
  // Hashes of passwords: bcrypt, then crypt(3) and Argon2.
  { parts: partsOf('$2'), pattern: () => /\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{50,60}/g },
  {
    parts: partsOf('$1$|$5$|$6$|$apr1$|$sha1$'),
    pattern: () =>
      /\$(?:[156]|apr1|sha1)\$(?:rounds=[0-9]{1,9}\$)?[./A-Za-z0-9]{1,32}\$[./A-Za-z0-9]{20,120}/g,
  },
  {
    parts: partsOf('$y$|$gy$|$7$|$argon2'),
    pattern: () => /\$(?:(?:y|gy|7)\$[./A-Za-z0-9$]{30,200}|argon2(?:id|i|d)\$[\w=,+/$]{20,300})/g,
  },
  // The private members of a JSON Web Key.
  {
    parts: partsOf('kty'),
    pattern: () =>
      /(?<=\b(?:d|p|q|dp|dq|qi|k)\\{0,3}"[ \t]{0,4}:[ \t]{0,4}\\{0,3}")[\w-]{20,2000}(?=\\{0,3}")/g,
  },
  {
    parts: partsOf('hooks.slack'),
    pattern: () =>
      /(?<=hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/)[\w/-]{8,200}/g,
  },
  {
    parts: partsOf('discord.com/api/|discordapp.com/api/'),
    pattern: () =>
      /(?<=discord(?:app)?\.com\/api\/(?:v[0-9]{1,2}\/)?webhooks\/)[0-9]{5,25}\/[\w-]{8,200}/g,
  },
  {
    parts: partsOf('office.com/webhook'),
    pattern: () => /(?<=(?:webhook|outlook)\.office\.com\/webhook(?:b2)?\/)[\w@/-]{8,400}/g,
  },
  {
    parts: partsOf('hooks.zapier'),
    pattern: () => /(?<=hooks\.zapier\.com\/hooks\/catch\/)[\w/-]{8,100}/g,
  },
  {
    parts: partsOf('maker.ifttt'),
    pattern: () => /(?<=maker\.ifttt\.com\/[\w/-]{1,100}\/key\/)[\w-]{8,100}/g,
  },
]

export const hideShapedTokens = (scan: SecretScan): void => {
  for (const { index, 0: found } of findGuarded(scan, SHAPES)) {
    scan.look(found.length)
    scan.hide(index, index + found.length)
  }
}
