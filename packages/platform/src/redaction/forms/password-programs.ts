import { charSet, type SecretScan } from './secret-scan.ts'

/** How programs take a password: flags whose next word it is, flags it is attached to, `user:password`. */
export interface Program {
  next?: RegExp
  /** As `next`, and without `=` the word is the path of a file. */
  nextIfSet?: RegExp
  attached?: RegExp
  /** Flags whose value is `user:password`. */
  login?: RegExp
  /** The flags mean that only behind `login`; elsewhere `-p` may be a port. */
  onlyLogin?: true
}

const programs = (names: string, program: Program): Array<[string, Program]> =>
  names.split(' ').map((name) => [name, program])

export const PROGRAMS = new Map<string, Program>([
  ...programs('mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mycli', {
    attached: /^-p(?=.)/,
  }),
  ...programs('sshpass', { next: /^-p$/, attached: /^-p(?=.)/ }),
  ...programs('az mongo mongosh mongodump mongorestore cqlsh poetry twine useradd usermod influx', {
    next: /^-p$/,
  }),
  ...programs('docker podman buildah skopeo helm nerdctl cf oc', { next: /^-p$/, onlyLogin: true }),
  ...programs('redis-cli', { next: /^-a$/, attached: /^-a(?=.)/ }),
  ...programs('sqlcmd bcp zip unzip', { next: /^-P$/, attached: /^-P(?=.)/ }),
  ...programs('7z 7za 7zz', { attached: /^-p(?=.)/ }),
  ...programs('rar unrar', { attached: /^-h?p(?=.)/ }),
  ...programs('mosquitto_pub mosquitto_sub ipmitool', { next: /^-P$/ }),
  ...programs('snmpwalk snmpget snmpset', { next: /^-[AX]$/ }),
  ...programs('openssl', { next: /^-(?:k|K|hmac)$/ }),
  ...programs('ssh-keygen', { next: /^-[NP]$/ }),
  ...programs('vercel codecov doctl', { next: /^-t$/ }),
  ...programs('lftp', { login: /^(?:-u|--user)$/ }),
  ...programs('ldapsearch ldapmodify ldapadd ldappasswd', { next: /^-w$/, attached: /^-w(?=.)/ }),
  ...programs('plink pscp', { next: /^-pw$/ }),
  ...programs('curl', {
    nextIfSet: /^(?:-b|--cookie)$/,
    login: /^(?:-[a-zA-Z]*[uU]|--user|--proxy-user)$/,
    attached: /^-[uU](?=[^\s:]+:)/,
  }),
  ...programs('http https xh', { login: /^(?:-a|--auth)$/ }),
  ...programs('smbclient rpcclient', { login: /^-U$/ }),
])

/** What may stand before a program's name in its word: a path, quotes, and the line before in JSON. */
const NAME_START = charSet(/[/"'`({;|&=:]/)
const LONGEST_PROGRAM = 13
const BACKSLASH = 92
const LINE_ESCAPE = charSet(/[nrt]/)

/** The program whose name ends the word, if it is one of ours. */
export const programAt = (
  { text, look }: SecretScan,
  from: number,
  to: number,
): Program | undefined => {
  const first = Math.max(from, to - LONGEST_PROGRAM - 1)
  const delimiters = NAME_START.table()
  let at = to
  while (at > first) {
    const code = text.charCodeAt(at - 1)
    if (delimiters[code] === 1) break
    if (code === BACKSLASH && at < to && LINE_ESCAPE.has(text.charCodeAt(at))) {
      at += 1
      break
    }
    at -= 1
  }
  look(to - at + 1)
  return to - at > LONGEST_PROGRAM ? undefined : PROGRAMS.get(text.slice(at, to))
}
