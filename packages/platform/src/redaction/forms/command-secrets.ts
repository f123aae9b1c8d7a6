import { hideValue, readValue } from './assigned-secrets.ts'
import { partsOf } from './held-parts.ts'
import { NAMED_COMMANDS } from './named-commands.ts'
import { PROGRAMS, type Program, programAt } from './password-programs.ts'
import { kindOfName, SECRET_PARTS } from './secret-names.ts'
import { charSet, findGuarded, MASK_START, type SecretScan } from './secret-scan.ts'

/** Programs that read a password from their standard input, with what makes them do so. */
const READS_PASSWORD =
  /\bsudo\b[^|;\n]{0,200}\s(?:-S\b|-[A-Za-z]*S\b|--stdin)|--(?:password|passphrase)-stdin|--with-token|\bchpasswd\b|\bpasswd\b[^|;\n]{0,80}--stdin|--passphrase-fd[ =]0|\bsu\s|\bsecrets? (?:put|set|add|create)\b|\b(?:vault|op|flyctl|heroku)\b[^|;\n]{0,80} -(?:\s|$)/
/** Texts without any of these have no argument to mask, and need no closer look. */
const PROGRAM_PARTS = partsOf(
  'mysql|mariadb|mycli|sshpass|docker|podman|buildah|skopeo|helm|nerdctl|mongo|redis-cli|sqlcmd|bcp|zip|7z|ldap|plink|pscp|curl|http|smbclient|rpcclient|cqlsh|poetry|twine|useradd|usermod|influx|rar|mosquitto|ipmitool|snmp|openssl|ssh-keygen|vercel|codecov|doctl|lftp',
)
const SHORT_PROGRAM = /\b(?:az|cf|oc|xh)\s/
const SECRET_FLAG = /-[\w-]{0,40}(?:pass|pwd|secret|token|key|cred|auth|bearer)/i
const MAY_READ_PASSWORD = partsOf('sudo|stdin|--with-token|passwd|su |-fd|secret')

const SPACE = charSet(/[ \t]/)
const BREAK = charSet(/\s/)
const EDGE = charSet(/["'`({$]/)
const LOGIN = 'login'

/** Passwords and tokens that a command line hands to a program. */
export const hideCommandSecrets = (scan: SecretScan): void => {
  const { text } = scan
  hideListedArguments(scan)
  // A word by itself is no command.
  if (!text.includes(' ') && !text.includes('\t') && !text.includes('\n')) return
  if (text.includes('-') && mayHoldArgument(scan)) hideArguments(scan)
  if (scan.holds(MAY_READ_PASSWORD)) hidePipedPasswords(scan)
  hideNamedWords(scan)
}

const mayHoldArgument = ({ text, holds }: SecretScan): boolean =>
  holds(PROGRAM_PARTS) ||
  (holds(SECRET_PARTS) && SECRET_FLAG.test(text)) ||
  SHORT_PROGRAM.test(text)

const LONGEST_WORD = 300

const hideArguments = (scan: SecretScan): void => {
  const { text } = scan
  let program: Program | undefined
  let isLogin = false
  let flag = -1
  let at = 0
  while (at < text.length) {
    // A program is at work until the end of its line, so lines without a flag say nothing.
    if (program === undefined && flag < at) {
      flag = nextFlag(scan, at)
      if (flag === -1) return
      at += text.slice(at, flag).lastIndexOf('\n') + 1
    }
    const start = scan.runEnd(at, BREAK)
    if (program !== undefined && text.slice(at, start).includes('\n')) program = undefined
    let end = scan.find(start, BREAK)
    const wordEnd = Math.min(end, start + LONGEST_WORD)
    const bareStart = scan.runEnd(start, EDGE, wordEnd - start)
    const isFlag = text[bareStart] === '-'
    const started = programAt(scan, bareStart, wordEnd)
    if (started !== undefined) isLogin = false
    program = started ?? program
    if (wordEnd - bareStart === LOGIN.length && text.startsWith(LOGIN, bareStart)) isLogin = true
    if (isFlag) {
      const bare = text.slice(bareStart, wordEnd)
      const taking = program?.onlyLogin === true && !isLogin ? undefined : program
      end = Math.max(end, hideFlag(scan, { bare, start: bareStart, end, program: taking }))
    } else if (program !== undefined && started === undefined) {
      if (/[;|]$|&&$|\\n/.test(text.slice(bareStart, wordEnd))) program = undefined
    }
    at = Math.max(end, at + 1)
  }
}

const LETTER = charSet(/[A-Za-z]/)

/** Where a word may begin with `-` or `--` and a letter; -1 if none does. */
const nextFlag = ({ text, look }: SecretScan, from: number): number => {
  for (let at = text.indexOf('-', from); at !== -1; at = text.indexOf('-', at + 1)) {
    look(1)
    const before = text.charCodeAt(at - 1)
    const isFirst = at === 0 || BREAK.has(before) || EDGE.has(before)
    const next = text.charCodeAt(text[at + 1] === '-' ? at + 2 : at + 1)
    if (isFirst && LETTER.has(next)) return at
  }
  return -1
}

const LISTED = /(\\{0,7}["'])([^"'\\\n]{1,200})\1(?=\s{0,20}[,\]])/g

/** The arguments of a command as a list of strings: `["mysql", "-uroot", "-p…"]`. */
const hideListedArguments = (scan: SecretScan): void => {
  if (!scan.text.includes('"-') && !scan.text.includes("'-")) return
  let program: Program | undefined
  let isLogin = false
  let isSecretNext = false
  let endOfLast = 0
  for (const { index, 0: whole, 1: quote = '', 2: word = '' } of scan.text.matchAll(LISTED)) {
    scan.look(whole.length)
    // Something else stands between: a variable, or the end of the list.
    if (!/^\s*,\s*$/.test(scan.text.slice(endOfLast, Math.min(index, endOfLast + 60)))) {
      isSecretNext = false
    }
    endOfLast = index + whole.length
    const start = index + quote.length
    const end = start + word.length
    if (isSecretNext && !isMaskOrVariable(word) && !word.startsWith('-')) scan.hide(start, end)
    isSecretNext = false
    const started = PROGRAMS.get(word.replace(/^.*\//, ''))
    if (started !== undefined) isLogin = false
    program = started ?? program
    if (word === LOGIN) isLogin = true
    if (!word.startsWith('-')) continue
    const taking = program?.onlyLogin === true && !isLogin ? undefined : program
    const attached = taking?.attached?.exec(word)?.[0]
    const name = /^--?([A-Za-z][\w-]{1,60})$/.exec(word)?.[1]
    const kind = name === undefined ? undefined : kindOfName(name)
    if (attached !== undefined && taking?.login === undefined && !word.startsWith('--')) {
      if (!isMaskOrVariable(word.slice(attached.length))) scan.hide(start + attached.length, end)
    } else {
      isSecretNext = taking?.next?.test(word) === true || kind === 'password' || kind === 'secret'
    }
  }
}

interface Flag {
  bare: string
  start: number
  end: number
  program: Program | undefined
}

/** The flag stands last in a text that is quoted. */
const ONLY_CLOSERS = /^\\{0,7}["'`](?:[)\]},;]|\\{0,7}["'`])+$/

/** Gives back where to go on. */
const hideFlag = (scan: SecretScan, { bare, start, end, program }: Flag): number => {
  const attached = program?.attached?.exec(bare)?.[0]
  if (attached !== undefined && !bare.startsWith('--')) {
    const from = start + attached.length
    if (ONLY_CLOSERS.test(bare.slice(attached.length))) return end
    return program?.login === undefined ? hideWord(scan, from) : hideLogin(scan, from)
  }
  const from = scan.runEnd(end, SPACE, 20)
  if (from === end) return end
  const flag = bare.replace(/=.*$/, '')
  const isLogin = program?.login?.test(flag) === true || /^--(?:[a-z]{1,10}-)?creds$/.test(flag)
  if (flag === bare && isLogin) return hideLogin(scan, from)
  if (flag === bare && program?.next?.test(flag) === true) return hideWord(scan, from)
  if (flag === bare && program?.nextIfSet?.test(flag) === true) {
    const { start: first, end: last } = readValue(scan, from, false)
    return scan.text.slice(first, last).includes('=') ? hideWord(scan, from) : last
  }
  const name = /^--?([A-Za-z][\w-]{1,60})$/.exec(bare)?.[1]
  const kind = name === undefined ? undefined : kindOfName(name)
  if (name === undefined || kind === undefined) return end
  if (isWordOfSentence(scan.text.slice(from, from + 20))) return end
  const isPassword = kind === 'password'
  const isNamed = /^[A-Z_]{3,20}(?=\s)/.test(scan.text.slice(from, from + 22))
  if (isPassword && !isNamed && !/^[-$]/.test(scan.text.slice(from, from + 1))) {
    return hideWord(scan, from)
  }
  return Math.max(end, hideValue(scan, from, { kind, name, separator: ' ', isSpaced: true }))
}

const isWordOfSentence = (text: string): boolean =>
  /^-|^(?:flags?|options?|argument|parameter|value|is|are|to|and|or|for|in|from|with|as|if|when|instead|must|on|can|will|was|the|a|an|should|length|limits?|policy|rules?|expiry|timeout)\b/.test(
    text,
  )

const hideWord = (scan: SecretScan, from: number): number => {
  const { start, end } = readValue(scan, from, false)
  const value = scan.text.slice(start, end)
  if (isMaskOrVariable(value) || value.startsWith('-')) return from
  scan.hide(start, end)
  return end
}

const hideLogin = (scan: SecretScan, from: number): number => {
  const { start, end } = readValue(scan, from, false)
  const login = scan.text.slice(start, end)
  const split = login.search(/[:%,]/)
  if (split === -1) return from
  const password = login.slice(split + 1)
  // Services that know a key instead of a user take it with an empty password.
  if (password === '' && split >= 12) scan.hide(start, start + split)
  else if (!isMaskOrVariable(password)) scan.hide(start + split + 1, end)
  return end
}

const isMaskOrVariable = (value: string): boolean =>
  value === '' ||
  value.startsWith(MASK_START) ||
  /^(?:\\?\$[\w{(]|<|\{\{|@|…|\.{3}|(?:file|env|fd):)/.test(value)

const PIPED = /\b(?:echo|printf)[ \t]{1,8}((?:-[neE]{1,3}[ \t]{1,4})?)/g
const LONGEST_LINE = 1000

/** `echo PASSWORD | sudo -S …` and its like. */
const hidePipedPasswords = (scan: SecretScan): void => {
  const { text } = scan
  let done = 0
  for (const { index, 0: hit } of text.matchAll(PIPED)) {
    if (index < done) continue
    const start = index + hit.length
    const line =
      text.slice(start, start + LONGEST_LINE).split(/\r?\n|\\n(?![^|]{0,20}\|)/, 1)[0] ?? ''
    scan.look(line.length)
    const pipe = line.indexOf('|')
    done = start + line.length
    if (pipe === -1 || !READS_PASSWORD.test(line.slice(pipe))) continue
    const value = line.slice(0, pipe).trimEnd()
    if (
      !isMaskOrVariable(
        value.replace(/^["'\\]*%s(?:\\{1,4}n)?["'\\]*\s*/, '').replace(/^["'\\]+/, ''),
      )
    )
      scan.hide(start, start + value.length)
  }
  let seen = 0
  for (const { index, 0: hit } of text.matchAll(/<<<[ \t]{0,4}/g)) {
    const before = text.slice(Math.max(seen, index - 300), index)
    scan.look(before.length)
    seen = index
    if (READS_PASSWORD.test(before)) hideWord(scan, index + hit.length)
  }
}

const SET =
  /\b(?:set|SET|config|ENV|ARG)[ \t]{1,4}(?:(?:-[A-Za-z]{1,3}|--[a-z]{1,12})[ \t]{1,4})?\\{0,3}["']?(?=[\w.:/@-])/g
/** `kubectl config set-credentials NAME`. */
const SUBCOMMAND = /^(?:set|get|unset|add|remove|use|show)-/
const SETTING = charSet(/[\w.:/@-]/)
const CLOSER = charSet(/["'\\]/)

const hideNamedWords = (scan: SecretScan): void => {
  for (const { index, 0: hit } of scan.holds(SECRET_PARTS) ? scan.text.matchAll(SET) : []) {
    const start = index + hit.length
    const end = scan.runEnd(start, SETTING, LONGEST_WORD)
    const from = scan.runEnd(scan.runEnd(end, CLOSER, 4), SPACE, 4)
    const name = scan.text.slice(start, end)
    const kind = from === end || SUBCOMMAND.test(name) ? undefined : kindOfName(name)
    if (kind === undefined) continue
    if (isWordOfSentence(scan.text.slice(from, from + 20))) continue
    hideValue(scan, from, { kind, name, separator: ' ', isSpaced: true })
  }
  for (const { index, 0: hit } of findGuarded(scan, NAMED_COMMANDS)) {
    scan.look(hit.length)
    hideWord(scan, index + hit.length)
  }
}
