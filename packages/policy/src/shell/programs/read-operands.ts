import { MARK } from '../marks.ts'
import { type Program, readArguments } from '../program.ts'

/** Reads its operands, or passes on what comes in. */
export const readOperands =
  (...valued: string[]): Program =>
  ({ args, stdin, shell }) => {
    const { operands } = readArguments(args, valued)
    const files = operands.filter((path) => path !== '-')
    for (const path of files) shell.read(path)
    if (files.length === 0) return stdin
    return files.map((path) => shell.contentOf(path) ?? MARK.unknown).join('\n')
  }

/** What a program makes of text that it does not show as it was: secrets stay secrets in any spelling. */
export const reshaped = (text: string): string =>
  text.includes(MARK.secret) ? MARK.secret : MARK.unknown
