import { MARK } from '../marks.ts'
import {
  type Call,
  hasFlag,
  type Program,
  readArguments,
  valuesGiven,
  valuesOf,
} from '../program.ts'
import { readOperands } from './read-operands.ts'
import { writeInto } from './write-into.ts'

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
  // A name with an ending is a file, which the moved one takes the place of.
  const isFile = target !== undefined && /\/[^/.]+\.\w+$/.test(`/${target}`)
  if (isFile && !call.args.some((arg) => /^(-\w*[nb]|--no-clobber|--backup.*)$/.test(arg)))
    call.shell.write(target, { replaces: true })
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
  // An example holds no secrets, and neither does its copy.
  if (target !== undefined && sources.every((source) => EXAMPLE.test(source)))
    call.shell.write(target, { gentle: true })
  else writeInto(call, sources, target)
  if (target !== undefined && sources.includes('/dev/null'))
    call.shell.write(target, { replaces: true })
  for (const source of sources) {
    const content = call.shell.contentOf(source)
    if (content !== undefined && target !== undefined) call.shell.remember(target, content)
  }
  return ''
}

const EXAMPLE = /\.(example|sample|template|dist|tpl)$/

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

const writeOperands: Program = ({ args, shell }) => {
  const read = readArguments(args, ['s', 'size', 'r', 'reference', 'l', 'length', 'o', 'offset'])
  for (const path of read.operands) shell.write(path, { replaces: true })
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
const changeMode: Program = ({ name, args, shell }) => {
  const read = readArguments(args, ['reference', 'from', 'm', 'x', 's'])
  const recursive = hasFlag(read, 'R', 'recursive')
  const isMode = (text: string) => /^[-+=][rwxXstugoa,+=-]+$/.test(text)
  const given = args.filter((arg) => !arg.startsWith('-') || isMode(arg))
  const paths = given.slice(hasFlag(read, 'reference') ? 0 : 1)
  const rights = name === 'chmod' ? rightsOf(given[0] ?? '') : undefined
  for (const path of paths) {
    shell.write(path, { recursive, gentle: true, ...(rights === undefined ? {} : { rights }) })
  }
  return ''
}

const rightsOf = (mode: string): 'private' | 'closed' | undefined => {
  if (/^0?[0-7]00$|^(go|og)(-rwx|=)$/.test(mode)) return 'private'
  return /^0?[0-7][0145][0145]$/.test(mode) ? 'closed' : undefined
}

const convert: Program = ({ args, stdin, shell }) => {
  for (const arg of args) {
    if (arg.startsWith('if=')) shell.read(arg.slice(3))
    if (arg.startsWith('of=')) shell.write(arg.slice(3), { replaces: true })
  }
  return args.some((arg) => arg.startsWith('if=')) ? MARK.unknown : stdin
}

/** Reads its operands and may put the result over a file. */
const sort: Program = (call) => {
  for (const path of valuesGiven(call.args, ['-o', '--output']))
    call.shell.write(path, { replaces: true })
  const others = call.args.filter((arg) => !/^(-o.+|--output=.*)$/s.test(arg))
  return readOperands(
    'k',
    't',
    'o',
    'output',
    'S',
    'T',
    'compress-program',
    'parallel',
  )({
    ...call,
    args: others,
  })
}

/** The last operand is the file that is made; `-y` puts it over one that is there. */
const film: Program = ({ args, shell }) => {
  args.forEach((arg, n) => {
    if (arg === '-i') shell.read(args[n + 1] ?? '')
  })
  const target = args.filter((arg) => !arg.startsWith('-')).at(-1)
  if (target !== undefined && !/^\w+:/.test(target))
    shell.write(target, { replaces: args.includes('-y'), gentle: !args.includes('-y') })
  return ''
}

/** The last operand is the picture that is made. */
const picture: Program = ({ args, shell }) => {
  const [target, ...sources] = args.filter((arg) => !arg.startsWith('-')).reverse()
  for (const source of sources) shell.read(source, { mention: true })
  if (target !== undefined) shell.write(target)
  return MARK.unknown
}

/** Packs a file and takes it away, unless it is told to keep it. */
const compress: Program = (call) => {
  const keeps = call.args.some((arg) =>
    /^-\w*[kctlv]|^--(keep|stdout|to-stdout|test|list)/.test(arg),
  )
  const unpacks = call.args.some((arg) => /^-\w*d|^--(decompress|uncompress)/.test(arg))
  if (!keeps && !unpacks) {
    for (const path of readArguments(call.args).operands)
      if (path !== '-') call.shell.remove(path, { gentle: true })
  }
  return readOperands()(call)
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
  sort,
  ffmpeg: film,
  convert: picture,
  magick: picture,
  gzip: compress,
  bzip2: compress,
  xz: compress,
  zstd: readOperands(),
  chmod: changeMode,
  chown: changeMode,
  chgrp: changeMode,
  chattr: changeAttributes,
  setfacl: changeMode,
  chflags: changeMode,
  dd: convert,
  patch: writeOperands,
}
