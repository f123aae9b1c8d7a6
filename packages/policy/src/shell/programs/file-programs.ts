import { MARK } from '../marks.ts'
import { type Call, hasFlag, type Program, readArguments, valuesOf } from '../program.ts'
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
  patch: writeOperands,
}
