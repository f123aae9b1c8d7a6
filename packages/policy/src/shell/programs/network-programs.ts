import { MARK } from '../marks.ts'
import {
  type Call,
  hasFlag,
  type Program,
  readArguments,
  valuesGiven,
  valuesOf,
} from '../program.ts'
import { contentFor } from './read-operands.ts'
import { runCode } from './run-code.ts'

const CURL_VALUED =
  'd data data-raw data-binary data-urlencode data-ascii json F form form-string T upload-file o output H header X request u user A user-agent e referer b cookie c cookie-jar K config m max-time connect-timeout retry w write-out x proxy E cert key cacert r range Y y C D dump-header resolve url-query output-dir url netrc-file proxy-key proxy-cert variable'.split(
    ' ',
  )

const curl: Program = (call) => {
  const { args, shell, stdin } = call
  const read = readArguments(args, CURL_VALUED)
  const data = valuesOf(read, 'd', 'data', 'data-binary', 'data-urlencode', 'data-ascii', 'json')
  const forms = valuesOf(read, 'F', 'form')
  const uploads = valuesOf(read, 'T', 'upload-file')
  const raw = valuesOf(read, 'data-raw', 'form-string')
  const files = [
    ...data.filter((text) => text.includes('@')).map((text) => text.slice(text.indexOf('@') + 1)),
    ...forms.flatMap((text) => /=[@<]([^;]+)/.exec(text)?.[1] ?? []),
    ...uploads,
  ]
  const sendsInput = files.some((file) => file === '-' || file === '.')
  for (const file of files) if (file !== '-' && file !== '.') shell.read(file)
  const cookies = valuesOf(read, 'b', 'cookie').filter((text) => !text.includes('='))
  const keys = valuesOf(read, 'netrc-file', 'key', 'E', 'cert', 'proxy-key', 'proxy-cert')
  for (const file of [...cookies, ...valuesOf(read, 'K', 'config'), ...keys]) {
    if (file !== '-') shell.read(file)
  }
  for (const header of valuesOf(read, 'H', 'header', 'variable')) {
    const file = /^(?:\w+)?@(.+)$/.exec(header)?.[1]
    if (file !== undefined) shell.read(file)
  }
  const sends = data.length + forms.length + uploads.length + raw.length > 0
  const addresses = [...read.operands, ...valuesOf(read, 'url')]
  for (const address of addresses) if (address.startsWith('file://')) shell.read(address.slice(7))
  shell.emit({ kind: 'network', program: 'curl', target: addresses.join(' '), sends })
  const contents = files.map((file) => shell.contentOf(file) ?? '')
  reportSecrets(call, [...args, ...contents, sendsInput ? stdin : ''].join(' '))
  return saveTo(call, valuesOf(read, 'o', 'output'), hasFlag(read, 'O', 'remote-name'), addresses)
}

const wget: Program = (call) => {
  const { args, shell } = call
  const read = readArguments(args, [
    'O',
    'output-document',
    'o',
    'P',
    'directory-prefix',
    'post-file',
    'post-data',
    'body-file',
    'header',
    'U',
    'user-agent',
    'i',
    'input-file',
    't',
    'T',
    'e',
    'A',
    'R',
    'l',
    'load-cookies',
    'private-key',
    'certificate',
    'config',
    'method',
  ])
  const files = valuesOf(read, 'post-file', 'body-file')
  const others = valuesOf(read, 'i', 'input-file', 'load-cookies', 'private-key', 'certificate')
  for (const file of [...files, ...others, ...valuesOf(read, 'config')]) shell.read(file)
  const sends = files.length > 0 || hasFlag(read, 'post-data')
  shell.emit({ kind: 'network', program: 'wget', target: read.operands.join(' '), sends })
  const contents = files.map((file) => shell.contentOf(file) ?? '')
  reportSecrets(call, [...args, ...contents].join(' '))
  for (const directory of valuesOf(read, 'P', 'directory-prefix'))
    shell.write(`${directory}/${MARK.segment}`, { gentle: true })
  const targets = valuesOf(read, 'O', 'output-document')
  const toOutput = targets.includes('-') || args.some((arg) => /^-\w*O-$/.test(arg))
  return toOutput ? MARK.remote : saveTo(call, targets, targets.length === 0, read.operands)
}

/** The download: on standard output, or in a file that later parts may run. */
const saveTo = (
  { shell }: Call,
  files: readonly string[],
  byName: boolean,
  addresses: readonly string[],
): string => {
  const named = byName
    ? addresses.map((address) => address.split(/[?#]/)[0]?.split('/').at(-1) ?? '')
    : []
  const targets = [...files.filter((file) => file !== '-'), ...named.filter((name) => name !== '')]
  for (const file of targets) {
    shell.write(file, { gentle: named.includes(file) })
    shell.remember(file, MARK.remote)
  }
  return targets.length > 0 && !files.includes('-') ? '' : MARK.remote
}

const reportSecrets = ({ shell, name }: Call, sent: string): void => {
  if (!sent.includes(MARK.secret)) return
  shell.emit({
    kind: 'hazard',
    rule: 'builtin:exfiltration',
    verdict: 'deny',
    reason: `${name} sends the environment, secrets included, over the network`,
  })
}

/** Programs that send their arguments or input, apart from those handled separately. */
const SENDERS =
  /^(http|https|xh|xhs|curlie|httpie|hurl|dig|nslookup|host|drill|ping|ping6|gh|glab|websocat|wscat|mosquitto_pub|slack|slackcat|telegram-send|ntfy|transfer|wormhole|croc|s_client|rclone|aws|gsutil|gcloud|az|s3cmd|mc|b2|azcopy|kubectl|redis-cli|mail|mailx|sendmail|mutt|swaks|msmtp|logger|ftp|lftp|sftp|tftp|scp|rsync|smbclient|psql|mysql|grpcurl|nats|kafkacat|kcat|traceroute|whois|finger|git)$/

/** Checks whether the environment is in the arguments or the input of a program that sends data. */
export const checkSent = (call: Call): void => {
  const { name, args, stdin } = call
  const connects = name === 'openssl' && args[0] === 's_client'
  if (connects || SENDERS.test(name)) reportSecrets(call, [...args, stdin].join(' '))
}

const connect: Program = (call) => {
  const { args, name, shell, state, stdin } = call
  const read = readArguments(args, ['e', 'exec', 'c', 'sh-exec', 'p', 's', 'w', 'q', 'i', 'X', 'x'])
  const listens = hasFlag(read, 'l', 'listen')
  shell.emit({
    kind: 'network',
    program: name,
    target: read.operands.join(' '),
    sends: stdin !== '',
  })
  reportSecrets(call, stdin)
  const executed = [
    ...valuesOf(read, 'e', 'exec', 'c', 'sh-exec'),
    ...args.flatMap((arg) => /^(?:exec|system):([^,]*)/i.exec(arg)?.[1] ?? []),
  ]
  if (executed.length > 0) {
    shell.emit({
      kind: 'hazard',
      rule: 'builtin:reverse-shell',
      verdict: 'deny',
      reason: `${name} hands a program to whoever is at the other end of a connection`,
    })
    for (const text of executed) shell.runText(text, '', state)
  }
  return listens || stdin === '' ? MARK.remote : MARK.unknown
}

const SSH_VALUED = [
  'b',
  'c',
  'D',
  'E',
  'e',
  'F',
  'I',
  'i',
  'J',
  'L',
  'l',
  'm',
  'O',
  'o',
  'p',
  'Q',
  'R',
  'S',
  'W',
  'w',
]

/** Runs the ssh settings that are commands. */
export const runSshSettings = (call: Call): void => {
  const lines = valuesGiven(call.args, ['-F']).flatMap((file) =>
    (contentFor(call, file) ?? '').split('\n'),
  )
  for (const option of [...valuesGiven(call.args, ['-o']), ...lines]) {
    const command = /^\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ](.*)$/i.exec(
      option,
    )?.[1]
    if (command !== undefined) runCode(call, command, '', call.state)
  }
}

const secureShell: Program = (call) => {
  const { args, shell, state, stdin } = call
  runSshSettings(call)
  let at = 0
  while (at < args.length && args[at]?.startsWith('-')) {
    at += SSH_VALUED.includes(args[at]?.slice(1) ?? '') ? 2 : 1
  }
  const host = args[at] ?? ''
  const command = args.slice(at + 1)
  shell.emit({ kind: 'network', program: 'ssh', target: host, sends: stdin !== '' })
  reportSecrets(call, [...args, stdin].join(' '))
  const run = (): string => runCode(call, command.join(' '), stdin, state)
  if (command.length > 0) {
    if (LOCAL_HOST.test(host)) run()
    else shell.onMachine(host.replace(/^.*@/, ''), run)
  }
  return MARK.remote
}

const LOCAL_HOST =
  /^(ssh:\/\/)?([^@]*@)?(localhost|127(\.\d+){3}|\[?::1\]?|0\.0\.0\.0)?(:\d+)?\/?$/i

/** Clients of storage services, which upload or download the named paths recursively. */
const store: Program = ({ name, args, shell }) => {
  const paths = args.filter((arg) => !arg.startsWith('-') && !/^[\w-]{2,}:/.test(arg))
  for (const path of paths) shell.read(path, { recursive: true, mention: true })
  shell.emit({ kind: 'network', program: name, target: args.join(' '), sends: true })
  return MARK.unknown
}

/** `put file` on the input of a client that reads commands. */
const transfer: Program = (call) => {
  const { name, args, stdin, shell } = call
  if (name === 'sftp') runSshSettings(call)
  const lines = [...stdin.split('\n'), args.join(' ')]
  for (const line of lines) {
    const sent = /\b(?:m?put|send)\s+(?:-\w+\s+)*(\S+)/.exec(line)?.[1]
    if (sent !== undefined) shell.read(sent)
  }
  shell.emit({ kind: 'network', program: name, target: args.join(' '), sends: true })
  return MARK.unknown
}

const mail: Program = (call) => {
  const { args, shell, stdin, name } = call
  const read = readArguments(args, ['s', 'a', 'A', 'c', 'b', 'r', 'S'])
  for (const path of valuesOf(read, 'a', 'A')) shell.read(path)
  shell.emit({ kind: 'network', program: name, target: read.operands.join(' '), sends: true })
  reportSecrets(call, stdin)
  return ''
}

/** Programs that contact other machines. */
export const NETWORK_PROGRAMS: Record<string, Program> = {
  curl,
  wget,
  nc: connect,
  ncat: connect,
  netcat: connect,
  socat: connect,
  telnet: connect,
  ssh: secureShell,
  autossh: secureShell,
  mosh: secureShell,
  ...Object.fromEntries(
    ['rclone', 'aws', 'gsutil', 's3cmd', 'azcopy', 'mc', 'b2'].map((name) => [name, store]),
  ),
  sftp: transfer,
  ftp: transfer,
  lftp: transfer,
  tftp: transfer,
  mail,
  mailx: mail,
  mutt: mail,
  sendmail: mail,
}
