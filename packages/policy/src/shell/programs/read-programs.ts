import { MARK } from '../marks.ts'
import { hasFlag, type Program, readArguments } from '../program.ts'
import { readOperands, reshaped } from './read-operands.ts'

const list: Program = ({ args, shell }) => {
  const read = readArguments(args, ['I', 'ignore', 'L', 'P', 'd', 'max-depth', 'c', 'format', 't'])
  for (const path of read.operands) shell.read(path)
  const bases = read.operands.length === 0 ? [''] : read.operands
  return bases.map((base) => (base === '' || !hasFlag(read, 'd') ? MARK.star : base)).join('\n')
}

const query: Program = ({ args, shell, stdin }) => {
  const read = readArguments(args, ['arg', 'argjson', 'f', 'from-file', 'indent', 'I', 'o'])
  for (const path of read.operands.slice(1)) shell.read(path)
  const changes = args.some((arg) => arg === '-i' || arg === '--inplace')
  if (changes) for (const path of read.operands.slice(1)) shell.write(path)
  return reshaped(stdin)
}

const READERS =
  'cat tac less more most bat batcat nl od hexdump strings md5sum sha1sum sha256sum sha512sum shasum md5 cksum b2sum wc sort uniq cut paste comm diff cmp sdiff colordiff delta file column fold fmt expand pr join look zcat bzcat xzcat zless glow mdcat view tsort iconv dos2unix split csplit pbcopy xclip xsel'.split(
    ' ',
  )

/** Programs that show files, or pass on what comes in. */
export const READ_PROGRAMS: Record<string, Program> = {
  ...Object.fromEntries(
    READERS.map((name) => [name, readOperands('k', 't', 'd', 'f', 'c', 'b', 'w', 'U', 's', 'a')]),
  ),
  ...Object.fromEntries(
    ['ls', 'll', 'dir', 'exa', 'eza', 'tree', 'du', 'stat', 'lsattr', 'getfacl'].map((name) => [
      name,
      list,
    ]),
  ),
  head: readOperands('n', 'c', 'lines', 'bytes'),
  tail: readOperands('n', 'c', 'lines', 'bytes', 'pid'),
  gzip: readOperands(),
  jq: query,
  yq: query,
}
