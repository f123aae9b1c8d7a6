import { MARK } from '../marks.ts'
import { type Call, hasFlag, type Program, readArguments, valuesOf } from '../program.ts'

const remove: Program = ({ args, shell }) => {
  const read = readArguments(args)
  const recursive = hasFlag(read, 'r', 'R', 'recursive')
  for (const path of read.operands) shell.remove(path, { recursive })
  return ''
}

const removeTree: Program = ({ args, shell }) => {
  for (const path of readArguments(args).operands) shell.remove(path, { recursive: true })
  return ''
}

const shred: Program = ({ args, shell }) => {
  for (const path of readArguments(args, ['n', 's']).operands) shell.remove(path)
  return ''
}

const move: Program = (call) => {
  const { sources, target } = splitTarget(call, ['t', 'target-directory', 'S', 'suffix'])
  for (const source of sources) call.shell.remove(source, { recursive: true, gentle: true })
  writeInto(call, sources, target)
  return ''
}

const copy: Program = (call) => {
  const { sources, target, recursive } = splitTarget(call, [
    't',
    'target-directory',
    'S',
    'suffix',
    'm',
    'mode',
    'o',
    'g',
  ])
  for (const source of sources) call.shell.read(source, { recursive })
  writeInto(call, sources, target)
  for (const source of sources) {
    const content = call.shell.contentOf(source)
    if (content !== undefined && target !== undefined) call.shell.remember(target, content)
  }
  return ''
}

const link: Program = (call) => {
  const { sources, target } = splitTarget(call, ['t', 'target-directory', 'S', 'suffix'])
  // Whoever may reach the link reaches what it points at.
  for (const source of sources) call.shell.read(source)
  writeInto(call, sources, target)
  return ''
}

const splitTarget = (
  { args }: Call,
  valued: string[],
): { sources: string[]; target: string | undefined; recursive: boolean } => {
  const read = readArguments(args, valued)
  const recursive = hasFlag(read, 'r', 'R', 'a', 'recursive', 'archive')
  const [directory] = valuesOf(read, 't', 'target-directory')
  if (directory !== undefined) return { sources: read.operands, target: directory, recursive }
  if (read.operands.length < 2) return { sources: read.operands, target: undefined, recursive }
  return { sources: read.operands.slice(0, -1), target: read.operands.at(-1), recursive }
}

/** The target itself, or a file of the same name in it. */
const writeInto = (
  { shell }: Call,
  sources: readonly string[],
  target: string | undefined,
): void => {
  if (target === undefined) return
  if (!target.endsWith('/')) shell.write(target)
  for (const source of sources) {
    const name = source.replace(/\/+$/, '').split('/').at(-1) ?? ''
    const isNamed = name !== '' && name !== '.' && name !== '..'
    if (isNamed)
      shell.write(`${target.replace(/\/+$/, '')}/${name}`, { gentle: target.endsWith('/') })
  }
}

const writeOperands: Program = ({ args, shell }) => {
  const read = readArguments(args, ['s', 'size', 'r', 'reference', 'l', 'length', 'o', 'offset'])
  for (const path of read.operands) shell.write(path)
  return ''
}

const makeNew: Program = ({ args, shell }) => {
  const read = readArguments(args, ['m', 'mode', 'd', 'date', 'r', 'reference', 't'])
  for (const path of read.operands) shell.write(path, { gentle: true })
  return ''
}

const tee: Program = ({ args, stdin, shell }) => {
  for (const path of readArguments(args).operands) {
    shell.write(path)
    shell.remember(path, stdin)
  }
  return stdin
}

/** Attributes stand in front with `+`, `-` or `=`. */
const changeAttributes: Program = ({ args, shell }) => {
  const recursive = args.includes('-R')
  for (const path of args.filter((arg) => !/^[-+=]/.test(arg))) shell.write(path, { recursive })
  return ''
}

/** The first operand is the mode or the owner. */
const changeMode: Program = ({ args, shell }) => {
  const read = readArguments(args, ['reference', 'from', 'm', 'x', 's'])
  const recursive = hasFlag(read, 'R', 'recursive')
  const isMode = (text: string) => /^[-+=][rwxXstugoa,+=-]+$/.test(text)
  const given = args.filter((arg) => !arg.startsWith('-') || isMode(arg))
  const paths = given.slice(hasFlag(read, 'reference') ? 0 : 1)
  for (const path of paths) shell.write(path, { recursive, gentle: true })
  return ''
}

const convert: Program = ({ args, stdin, shell }) => {
  for (const arg of args) {
    if (arg.startsWith('if=')) shell.read(arg.slice(3))
    if (arg.startsWith('of=')) shell.write(arg.slice(3))
  }
  return args.some((arg) => arg.startsWith('if=')) ? MARK.unknown : stdin
}

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
  ])
  for (const command of valuesOf(read, 'to-command', 'I', 'use-compress-program')) {
    shell.runText(command, '', state)
  }
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
  for (const source of sources) shell.read(source, { recursive: true })
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
  for (const path of valuesOf(read, 'd')) shell.write(path, { gentle: true })
  return MARK.unknown
}

const synchronise: Program = (call) => {
  const read = readArguments(
    call.args,
    [
      'e',
      'rsh',
      'exclude',
      'include',
      'filter',
      'f',
      'files-from',
      'P',
      'i',
      'o',
      'F',
      'l',
      'S',
      'J',
      'c',
      'rsync-path',
      'bwlimit',
    ].filter((name) =>
      call.name === 'rsync'
        ? name !== 'P' &&
          name !== 'i' &&
          name !== 'o' &&
          name !== 'l' &&
          name !== 'c' &&
          name !== 'S'
        : true,
    ),
  )
  const isRemote = (path: string) => /^[^/]+:/.test(path)
  const sources = read.operands.slice(0, -1)
  const target = read.operands.at(-1)
  const recursive = call.name === 'rsync' || hasFlag(read, 'r')
  for (const shellCommand of valuesOf(read, 'e', 'rsh')) {
    call.shell.run(shellCommand.split(/\s+/), '', call.state)
  }
  for (const source of sources.filter((path) => !isRemote(path)))
    call.shell.read(source, { recursive })
  if (target === undefined) return ''
  if (isRemote(target)) {
    call.shell.emit({ kind: 'network', program: call.name, target, sends: true })
    return ''
  }
  if (sources.some(isRemote)) {
    call.shell.emit({
      kind: 'network',
      program: call.name,
      target: sources.join(' '),
      sends: false,
    })
  }
  writeInto(call, sources, target)
  const deletes = [...read.flags].some((flag) => flag.startsWith('delete'))
  if (deletes) call.shell.remove(target, { recursive: true })
  return ''
}

/** Programs whose operands are paths that they change. */
export const FILE_PROGRAMS: Record<string, Program> = {
  rm: remove,
  del: remove,
  rmdir: remove,
  unlink: remove,
  srm: removeTree,
  'Remove-Item': removeTree,
  rimraf: removeTree,
  'del-cli': removeTree,
  trash: removeTree,
  'trash-put': removeTree,
  shred,
  wipe: removeTree,
  mv: move,
  cp: copy,
  install: copy,
  ditto: copy,
  ln: link,
  truncate: writeOperands,
  fallocate: writeOperands,
  mkfs: writeOperands,
  wipefs: writeOperands,
  mkswap: writeOperands,
  mkdir: makeNew,
  touch: makeNew,
  mkfifo: makeNew,
  tee,
  sponge: tee,
  chmod: changeMode,
  chown: changeMode,
  chgrp: changeMode,
  chattr: changeAttributes,
  setfacl: changeMode,
  chflags: changeMode,
  dd: convert,
  tar: archive,
  gtar: archive,
  bsdtar: archive,
  patch: writeOperands,
  cpio: copyOut,
  zip,
  '7z': sevenZip,
  unzip,
  rsync: synchronise,
  scp: synchronise,
}
