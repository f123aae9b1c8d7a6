import { hasFlag, type Program, readArguments, valuesOf } from '../program.ts'
import { contentFor, reshaped } from './read-operands.ts'

const PRINTS_TO = /\bprintf?\b[^;}\n]*?>>?\s*"([^"]+)"/g

const awk: Program = (call) => {
  const { args, shell, stdin } = call
  const read = readArguments(args, ['F', 'v', 'f', 'i'])
  const isInPlace = valuesOf(read, 'i').includes('inplace')
  const hasFile = hasFlag(read, 'f')
  const kept = valuesOf(read, 'f').flatMap((file) => contentFor(call, file) ?? [])
  const script = hasFile ? kept.join('\n') : read.operands[0]
  const files = hasFile ? read.operands : read.operands.slice(1)
  if (script !== undefined) {
    shell.emit({ kind: 'code', language: 'awk', text: script })
    for (const [, path = ''] of script.matchAll(PRINTS_TO)) shell.write(path)
  }
  for (const path of [...files, ...valuesOf(read, 'f')]) {
    if (!/^\w+=/.test(path)) isInPlace ? shell.write(path, { replaces: true }) : shell.read(path)
  }
  return reshaped(stdin)
}

export const AWK_PROGRAMS: Record<string, Program> = { awk, gawk: awk, mawk: awk, nawk: awk }
