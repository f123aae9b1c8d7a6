import { partsOf } from './held-parts.ts'
import { atWordStart, type GuardedPattern } from './secret-scan.ts'

const atCommand = (body: RegExp, flags?: string): RegExp => atWordStart(body, flags, '\\w')

/** A name, a space and a secret: configuration commands, `.netrc`, SQL, OpenSSL. */
export const NAMED_COMMANDS: readonly GuardedPattern[] = [
  {
    parts: partsOf('password'),
    pattern: () => atCommand(/login[ \t]{1,4}[^\s]{1,100}[ \t\n]{1,8}password[ \t]{1,4}/, 'gi'),
  },
  {
    parts: partsOf('identified|password'),
    pattern: () => atCommand(/(?:identified[ \t]{1,4}by|password)[ \t]{1,4}(?=')/, 'gi'),
  },
  { parts: partsOf('password('), pattern: () => atCommand(/password\(\s{0,4}(?=')/, 'gi') },
  {
    parts: partsOf('auth '),
    pattern: () => atCommand(/(?<=^|\n|\\n|> ?)AUTH[ \t]{1,4}(?=\S{4,100}(?:\s|$))/),
  },
  {
    parts: partsOf('requirepass|masterauth'),
    pattern: () => atCommand(/(?:requirepass|masterauth)[ \t]{1,4}/),
  },
  {
    parts: partsOf('wifi'),
    pattern: () => atCommand(/wifi[ \t]{1,4}connect[ \t]{1,4}\S{1,60}[ \t]{1,4}password[ \t]{1,4}/),
  },
  {
    parts: partsOf('wpa_'),
    pattern: () => atCommand(/wpa_passphrase[ \t]{1,4}\S{1,60}[ \t]{1,4}/),
  },
  {
    parts: partsOf('vault|cargo'),
    pattern: () => atCommand(/(?:vault|cargo)[ \t]{1,4}login[ \t]{1,4}(?=[^\s-]{16,200}(?:\s|$))/),
  },
  {
    parts: partsOf('ngrok'),
    pattern: () => atCommand(/ngrok[ \t]{1,4}(?:config[ \t]{1,4}add-)?authtoken[ \t]{1,4}/),
  },
  {
    parts: partsOf('htpasswd'),
    pattern: () =>
      atCommand(/htpasswd[ \t]{1,4}-[A-Za-z]{0,6}n[A-Za-z]{0,6}[ \t]{1,4}[\w.@-]{1,60}[ \t]{1,4}/),
  },
  {
    parts: partsOf('htpasswd'),
    pattern: () =>
      atCommand(
        /htpasswd[ \t]{1,4}-[A-Zac-mo-z]{0,6}b[A-Zac-mo-z]{0,6}[ \t]{1,4}\S{1,100}[ \t]{1,4}[\w.@-]{1,60}[ \t]{1,4}/,
      ),
  },
  {
    parts: partsOf('rabbitmqctl'),
    pattern: () =>
      atCommand(/rabbitmqctl[ \t]{1,4}(?:add_user|change_password)[ \t]{1,4}\S{1,60}[ \t]{1,4}/),
  },
  {
    parts: partsOf('/user:'),
    pattern: () =>
      atCommand(/net[ \t]{1,4}use[ \t]{1,4}[^\n]{1,120}\/user:\S{1,60}[ \t]{1,4}/, 'gi'),
  },
  {
    parts: partsOf('net '),
    pattern: () => atCommand(/net[ \t]{1,4}user[ \t]{1,4}[\w.-]{1,60}[ \t]{1,4}(?!\/)/, 'gi'),
  },
  {
    parts: partsOf('mysqladmin'),
    pattern: () => atCommand(/mysqladmin\b[^\n|;]{0,100}[ \t]password[ \t]{1,4}/),
  },
  {
    parts: partsOf('/p'),
    pattern: () => /(?:^|[ \t])\/p(?:assword)?:(?=\S{3,100}[ \t]\/[a-z]{1,12}:)/g,
  },
  {
    parts: partsOf('secret set|secrets set'),
    pattern: () =>
      atCommand(/secrets? set[ \t]{1,4}\S{1,80}[ \t]{1,4}(?:--(?:body|value)|-b)[ \t=]{1,4}/),
  },
  { parts: partsOf('sonar'), pattern: () => /-Dsonar\.(?:login|token)=/g },
  { parts: partsOf('-pass'), pattern: () => /(?<![\w-])-pass(?:in|out)?[ \t]{1,4}pass:/g },
]
