import { MARK } from '../marks.ts'
import { hasFlag, type Program, readArguments } from '../program.ts'
import { readOperands, reshaped } from './read-operands.ts'

/** Names, sizes and dates are no content. */
const list: Program = ({ name, args, shell }) => {
  const valued = name === 'ls' ? ['I', 'ignore'] : ['I', 'L', 'P', 'd', 'max-depth', 'c', 'format']
  const read = readArguments(args, valued)
  for (const path of read.operands) shell.read(path, { names: true })
  const bases = read.operands.length === 0 ? [''] : read.operands
  return bases
    .map((base) => {
      const isItself = hasFlag(read, 'd', 'directory') || base.includes(MARK.star)
      return base !== '' && isItself ? base : MARK.star
    })
    .join('\n')
}

const query: Program = ({ args, shell, stdin }) => {
  const read = readArguments(args, ['arg', 'argjson', 'f', 'from-file', 'indent', 'I', 'o'])
  for (const path of read.operands.slice(1)) shell.read(path)
  const changes = args.some((arg) => arg === '-i' || arg === '--inplace')
  if (changes) for (const path of read.operands.slice(1)) shell.write(path)
  return reshaped(stdin)
}

const READERS =
  'cat tac less more most bat batcat nl od hexdump strings md5sum sha1sum sha256sum sha512sum shasum md5 cksum b2sum wc uniq cut paste comm diff cmp sdiff colordiff delta file column fold fmt expand pr join look zcat bzcat xzcat zless glow mdcat tsort iconv dos2unix split csplit pbcopy xclip xsel'.split(
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
  jq: query,
  yq: query,
}
