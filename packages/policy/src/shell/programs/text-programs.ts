import { decodeAnsiC } from '../ansi-c.ts'
import { isPlain, MARK } from '../marks.ts'
import { hasFlag, type Program, readArguments, valuesOf } from '../program.ts'

const echo: Program = ({ args }) => {
  const read = /^-[neE]+$/.test(args[0] ?? '') ? args.slice(1) : args
  const text = read.join(' ')
  return args[0]?.startsWith('-') && args[0].includes('e') ? decodeAnsiC(text) : text
}

const printf: Program = ({ args, state }) => {
  const isAssigned = args[0] === '-v'
  const [format = '', ...values] = (isAssigned ? args.slice(2) : args).filter((arg) => arg !== '--')
  const text = fillFormat(format, values)
  if (!isAssigned) return text
  state.variables.set(args[1] ?? '', [text])
  return ''
}

const fillFormat = (format: string, values: readonly string[]): string => {
  const waiting = [...values]
  const fillOnce = () =>
    decodeAnsiC(format).replace(
      /%(-?\d*(?:\.\d+)?)([sbdiqxofc%])/g,
      (_, width: string, kind: string) => {
        if (kind === '%') return '%'
        const value = waiting.shift() ?? ''
        if (kind === 'b') return decodeAnsiC(value)
        return /^[sdiqc]$/.test(kind) && width === '' ? value : MARK.segment
      },
    )
  let text = fillOnce()
  for (
    let rounds = 0;
    waiting.length > 0 && waiting.length < values.length && rounds < 64;
    rounds++
  ) {
    text += fillOnce()
  }
  return text
}

/** Reads its operands, or passes on what comes in. */
const readOperands =
  (...valued: string[]): Program =>
  ({ args, stdin, shell }) => {
    const { operands } = readArguments(args, valued)
    const files = operands.filter((path) => path !== '-')
    for (const path of files) shell.read(path)
    if (files.length === 0) return stdin
    return files.map((path) => shell.contentOf(path) ?? MARK.unknown).join('\n')
  }

const list: Program = ({ args, shell }) => {
  const read = readArguments(args, ['I', 'ignore', 'L', 'P', 'd', 'max-depth', 'c', 'format', 't'])
  for (const path of read.operands) shell.read(path)
  const bases = read.operands.length === 0 ? [''] : read.operands
  return bases.map((base) => (base === '' || !hasFlag(read, 'd') ? MARK.star : base)).join('\n')
}

/** The first operand is what to look for. */
const search: Program = (call) => {
  const { args, shell } = call
  const read = readArguments(
    args,
    [
      'e',
      'regexp',
      'f',
      'file',
      'A',
      'B',
      'C',
      'm',
      'g',
      'glob',
      't',
      'type',
      'T',
      'include',
      'exclude',
      'exclude-dir',
      'max-count',
      'max-depth',
      'E',
      'd',
      'j',
      'iglob',
      'context',
    ]
      .filter((name) => call.name !== 'grep' || name !== 'E')
      .filter((name) => call.name !== 'grep' || (name !== 't' && name !== 'T' && name !== 'g')),
  )
  const hasPattern = hasFlag(read, 'e', 'regexp', 'f', 'file') || hasFlag(read, 'files')
  const paths = hasPattern ? read.operands : read.operands.slice(1)
  const recursive = call.name !== 'grep' || hasFlag(read, 'r', 'R', 'recursive')
  for (const path of [...paths, ...valuesOf(read, 'f', 'file')]) shell.read(path, { recursive })
  if (hasFlag(read, 'l', 'files-with-matches', 'files', 'L')) {
    const bases = paths.length === 0 ? ['.'] : paths
    return bases.map((base) => (recursive ? `${base}/${MARK.deep}` : base)).join('\n')
  }
  return call.stdin !== '' && paths.length === 0 && isPlain(call.stdin) ? call.stdin : MARK.unknown
}

const stream: Program = (call) => {
  const { args, shell, stdin } = call
  const read = readArguments(args, ['e', 'expression', 'f', 'file', 'l'])
  const hasScript = hasFlag(read, 'e', 'expression', 'f', 'file')
  const scripts = hasScript ? valuesOf(read, 'e', 'expression') : read.operands.slice(0, 1)
  const paths = hasScript ? read.operands : read.operands.slice(1)
  const inPlace = args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg))
  for (const path of paths) inPlace ? shell.write(path) : shell.read(path)
  for (const script of scripts) {
    if (/(^|[;\n{])\s*[0-9$,]*\s*e(\s|$)|^s(.).*\3.*\3[gpiImM0-9]*e[gpiImM0-9]*$/.test(script)) {
      shell.emit({ kind: 'code', language: 'sed', text: script })
    }
    for (const [, path = ''] of script.matchAll(/[;/\s][wW]\s+([^\s;}]+)/g)) shell.write(path)
  }
  return paths.length === 0 && stdin === '' ? '' : MARK.unknown
}

const awk: Program = ({ args, shell }) => {
  const read = readArguments(args, ['F', 'v', 'f', 'i'])
  const hasFile = hasFlag(read, 'f')
  const script = hasFile ? undefined : read.operands[0]
  const files = hasFile ? read.operands : read.operands.slice(1)
  if (script !== undefined) shell.emit({ kind: 'code', language: 'awk', text: script })
  for (const path of [...files, ...valuesOf(read, 'f')]) {
    if (!/^\w+=/.test(path)) shell.read(path)
  }
  return MARK.unknown
}

const base64: Program = (call) => {
  const { args, stdin } = call
  const decodes = args.some((arg) => /^(-d|-D|--decode|-di)$/.test(arg))
  const input = readOperands('w', 'wrap')({ ...call, args: args.filter((arg) => arg !== '-D') })
  if (!decodes) return MARK.unknown
  return decodeWith(stdin === '' ? input : stdin, (text) => {
    const bytes = Uint8Array.from(atob(text.replace(/\s/g, '')), (char) => char.charCodeAt(0))
    return new TextDecoder().decode(bytes)
  })
}

const hexDump: Program = (call) => {
  const { args, stdin } = call
  readOperands('c', 'l', 's')(call)
  if (!args.some((arg) => /^-\w*r/.test(arg))) return MARK.unknown
  return decodeWith(stdin, (text) =>
    text
      .replace(/\s/g, '')
      .replace(/[0-9a-f]{2}/gi, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
  )
}

/** Text that a command unpacks is read where we can, and otherwise remembered as hidden. */
const decodeWith = (text: string, decode: (text: string) => string): string => {
  if (text === '') return ''
  if (!isPlain(text)) return MARK.decoded
  try {
    return decode(text)
  } catch {
    return MARK.decoded
  }
}

const decompress: Program = (call) => {
  readOperands()(call)
  return call.stdin.includes(MARK.remote) ? MARK.remote : MARK.decoded
}

const reverse: Program = ({ stdin }) =>
  isPlain(stdin) ? [...stdin.trimEnd()].reverse().join('') : MARK.decoded

const translate: Program = ({ args, stdin }) =>
  !isPlain(stdin) || stdin === '' ? stdin : translatePlain(args, stdin)

const translatePlain = (args: readonly string[], text: string): string => {
  const read = readArguments(args)
  const [from = '', to = ''] = read.operands.map(expandSet)
  if (hasFlag(read, 'c', 'C')) return MARK.unknown
  if (hasFlag(read, 'd')) return [...text].filter((char) => !from.includes(char)).join('')
  if (to === '') return text
  return [...text]
    .map((char) => {
      const at = from.indexOf(char)
      return at === -1 ? char : (to[Math.min(at, to.length - 1)] ?? char)
    })
    .join('')
}

const CLASSES: Record<string, string> = {
  '[:upper:]': 'A-Z',
  '[:lower:]': 'a-z',
  '[:digit:]': '0-9',
  '[:space:]': ' \t\n',
}

const expandSet = (set: string): string =>
  decodeAnsiC(set.replace(/\[:\w+:\]/g, (name) => CLASSES[name] ?? '')).replace(
    /(.)-(.)/g,
    (_, from: string, to: string) => {
      const start = from.charCodeAt(0)
      const length = Math.max(0, Math.min(to.charCodeAt(0) - start + 1, 256))
      return Array.from({ length }, (_unused, n) => String.fromCharCode(start + n)).join('')
    },
  )

const baseName: Program = ({ args }) => {
  const [path = '', suffix = ''] = readArguments(args, ['s']).operands
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? ''
  return suffix !== '' && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name
}

const directoryName: Program = ({ args }) => {
  const [path = ''] = readArguments(args).operands
  const cut = path.replace(/\/+$/, '').replace(/\/?[^/]*$/, '')
  return cut === '' ? (path.startsWith('/') ? '/' : '.') : cut
}

const temporary: Program = ({ args, shell }) => {
  const [template] = readArguments(args, ['p', 'tmpdir', 't', 'suffix']).operands
  if (template?.includes('/')) {
    shell.write(template, { gentle: true })
    return template.replace(/X+$/, MARK.segment)
  }
  return `/tmp/tmp.${MARK.segment}`
}

const real: Program = ({ args }) => readArguments(args, ['relative-to']).operands.join('\n')

const oneWord: Program = () => MARK.segment
const where: Program = ({ args }) => args.filter((arg) => !arg.startsWith('-')).join('\n')
const workingDirectory: Program = ({ state }) => state.directories.join('\n')
const nothing: Program = () => ''

const query: Program = ({ args, shell }) => {
  const read = readArguments(args, ['arg', 'argjson', 'f', 'from-file', 'indent', 'I', 'o'])
  for (const path of read.operands.slice(1)) shell.read(path)
  const changes = args.some((arg) => arg === '-i' || arg === '--inplace')
  if (changes) for (const path of read.operands.slice(1)) shell.write(path)
  return MARK.unknown
}

const printEnvironment: Program = ({ args }) => (args.length === 0 ? MARK.secret : MARK.unknown)

/** Prints settings for the shell that started it, which are its own to trust. */
const initShell: Program = ({ args }) =>
  args.some((arg) =>
    /^(-s|-c|init|hook|env|shellenv|activate|shell\.\w+|shell|completion)$/.test(arg),
  )
    ? ''
    : MARK.unknown

const READERS =
  'cat tac less more most bat batcat nl od hexdump strings md5sum sha1sum sha256sum sha512sum shasum md5 cksum b2sum wc sort uniq cut paste comm diff cmp sdiff colordiff delta file column fold fmt expand pr join look zcat bzcat xzcat zless glow mdcat view tsort iconv dos2unix split csplit pbcopy xclip xsel'.split(
    ' ',
  )

/** Programs that read, print and reshape text. */
export const TEXT_PROGRAMS: Record<string, Program> = {
  ...Object.fromEntries(
    ['ssh-agent', 'starship', 'zoxide', 'dircolors', 'pyenv', 'rbenv', 'fnm'].map((name) => [
      name,
      initShell,
    ]),
  ),
  ...Object.fromEntries(
    READERS.map((name) => [name, readOperands('k', 't', 'd', 'f', 'c', 'b', 'w', 'U', 's', 'a')]),
  ),
  head: readOperands('n', 'c', 'lines', 'bytes'),
  tail: readOperands('n', 'c', 'lines', 'bytes', 'pid'),
  echo,
  printf,
  print: echo,
  yes: echo,
  ls: list,
  ll: list,
  dir: list,
  exa: list,
  eza: list,
  tree: list,
  du: list,
  stat: list,
  lsattr: list,
  getfacl: list,
  grep: search,
  egrep: search,
  fgrep: search,
  zgrep: search,
  rg: search,
  ag: search,
  ack: search,
  fd: search,
  fdfind: search,
  sed: stream,
  gsed: stream,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  jq: query,
  yq: query,
  base64,
  base32: decompress,
  xxd: hexDump,
  gunzip: decompress,
  gzip: readOperands(),
  unxz: decompress,
  bunzip2: decompress,
  uudecode: decompress,
  rev: reverse,
  tr: translate,
  basename: baseName,
  dirname: directoryName,
  mktemp: temporary,
  realpath: real,
  readlink: real,
  pwd: workingDirectory,
  which: where,
  type: where,
  whereis: where,
  date: oneWord,
  whoami: oneWord,
  hostname: oneWord,
  uname: oneWord,
  nproc: oneWord,
  id: oneWord,
  seq: oneWord,
  arch: oneWord,
  uuidgen: oneWord,
  sw_vers: oneWord,
  getconf: oneWord,
  logname: oneWord,
  tty: oneWord,
  sleep: nothing,
  true: nothing,
  false: nothing,
  ':': nothing,
  test: nothing,
  '[': nothing,
  exit: nothing,
  return: nothing,
  break: nothing,
  continue: nothing,
  wait: nothing,
  say: nothing,
  logger: nothing,
  'notify-send': nothing,
  printenv: printEnvironment,
}
