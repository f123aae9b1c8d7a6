import { MARK } from '../marks.ts'
import { type Program, readArguments } from '../program.ts'

const VALUED =
  'e extension t type d max-depth min-depth exact-depth E exclude S size c color j threads o owner changed-within changed-before base-directory search-path max-results'.split(
    ' ',
  )

/** `fd [pattern] [place…] [-x command…]` runs the command on each match. */
const fd: Program = ({ args, shell, state }) => {
  const at = args.findIndex((arg) => /^(-x|-X|--exec|--exec-batch)$/.test(arg))
  const read = readArguments(at === -1 ? args : args.slice(0, at), VALUED)
  const given = [...read.operands.slice(1), ...(read.values.get('search-path') ?? [])]
  const bases = given.length === 0 ? [read.values.get('base-directory')?.[0] ?? '.'] : given
  const narrowed = read.operands.some((pattern, n) => n === 0 && !/^\.?\*?$/.test(pattern))
  const extensions = [...(read.values.get('e') ?? []), ...(read.values.get('extension') ?? [])]
  const found = bases.flatMap((base) => {
    const root = base.replace(/(?<!\/)\/+$/, '')
    if (extensions.length > 0) {
      return extensions.map((extension) => `${root}/${MARK.deep}/${MARK.star}.${extension}`)
    }
    if (narrowed) return [`${root}/${MARK.deep}/${MARK.star}${read.operands[0]}${MARK.star}`]
    return [`${root}/${MARK.deep}`]
  })
  for (const base of bases) shell.read(base)
  if (at === -1) return found.join('\n')
  const command = args.slice(at + 1).filter((arg) => arg !== ';')
  const hasPlace = command.some((word) => /\{[^{}]*\}/.test(word))
  for (const path of found) {
    const words = command.map((word) => word.replace(/\{[/.]*\}/g, path))
    shell.run(hasPlace ? words : [...words, path], '', state)
  }
  return MARK.unknown
}

export const FD_PROGRAMS: Record<string, Program> = { fd, fdfind: fd }
