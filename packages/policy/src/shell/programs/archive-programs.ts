import { MARK } from '../marks.ts'
import { hasFlag, type Program, readArguments, valuesOf } from '../program.ts'

const archive: Program = ({ args, shell, state }) => {
  const [first = ''] = args
  const bundled = /^[a-zA-Z]+$/.test(first) ? [`-${first}`, ...args.slice(1)] : [...args]
  const read = readArguments(bundled, [
    'f',
    'file',
    'C',
    'directory',
    'T',
    'X',
    'exclude',
    'to-command',
    'checkpoint-action',
    'I',
    'use-compress-program',
    'transform',
    'strip-components',
    'F',
    'info-script',
    'rsh-command',
    'L',
  ])
  for (const action of valuesOf(read, 'checkpoint-action')) {
    if (action.startsWith('exec=')) shell.runText(action.slice(5), '', state)
  }
  const files = valuesOf(read, 'f', 'file').filter((file) => file !== '-')
  const [directory] = valuesOf(read, 'C', 'directory')
  if (hasFlag(read, 'c', 'r', 'u', 'create', 'append')) {
    for (const file of files) shell.write(file)
    const base = directory === undefined ? '' : `${directory}/`
    for (const path of read.operands) {
      const whole = path.startsWith('/') ? path : base + path
      shell.read(whole, { recursive: true })
      if (hasFlag(read, 'remove-files')) shell.remove(whole, { recursive: true })
    }
    return MARK.unknown
  }
  for (const file of files) shell.read(file)
  if (hasFlag(read, 'x', 'extract', 'get')) {
    shell.write(directory ?? '.', { gentle: true })
    if (directory !== undefined) shell.write(`${directory}/${MARK.segment}`, { gentle: true })
  }
  return MARK.unknown
}

const zip: Program = ({ args, shell }) => {
  const read = readArguments(args, ['x', 'i', 'P'])
  const [target, ...sources] = read.operands
  if (target !== undefined && target !== '-') shell.write(target)
  const takes = hasFlag(read, 'm', 'move', 'sdel') || args.includes('-sdel')
  for (const source of sources) {
    shell.read(source, { recursive: true })
    if (takes) shell.remove(source, { recursive: true, gentle: true })
  }
  return MARK.unknown
}

const sevenZip: Program = (call) => {
  if (!/^[xe]$/.test(call.args[0] ?? '')) return zip({ ...call, args: call.args.slice(1) })
  for (const arg of call.args) {
    if (arg.startsWith('-o')) call.shell.write(`${arg.slice(2)}/${MARK.segment}`, { gentle: true })
  }
  return MARK.unknown
}

const copyOut: Program = ({ args, shell }) => {
  const [directory = '.'] = valuesOf(readArguments(args, ['D', 'directory', 'F']), 'D', 'directory')
  const extracts = args.some((arg) => /^-\w*i/.test(arg) || arg === '--extract')
  if (extracts) shell.write(`${directory}/${MARK.segment}`, { gentle: true })
  return MARK.unknown
}

const unzip: Program = ({ args, shell }) => {
  const read = readArguments(args, ['d', 'x', 'P'])
  for (const path of read.operands.slice(0, 1)) shell.read(path)
  const replaces = hasFlag(read, 'o')
  for (const path of valuesOf(read, 'd')) shell.write(path, { gentle: !replaces, replaces })
  return MARK.unknown
}

/** Programs that pack and unpack files. */
export const ARCHIVE_PROGRAMS: Record<string, Program> = {
  tar: archive,
  gtar: archive,
  bsdtar: archive,
  zip,
  '7z': sevenZip,
  unzip,
  cpio: copyOut,
}
