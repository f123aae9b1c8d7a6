import { styleText } from 'node:util'

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const

export type Paint = Record<(typeof STYLES)[number], (text: string) => string>

/** Colours for a terminal; elsewhere the text is unchanged. */
export const paintFor = (colour: boolean): Paint => {
  const style =
    (name: (typeof STYLES)[number]) =>
    (text: string): string =>
      // `wantsColour` has already checked the stream.
      colour ? styleText(name, text, { validateStream: false }) : text
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
  }
}

/** Colour on a terminal unless NO_COLOR is set; FORCE_COLOR overrides both, as in Node. */
export const wantsColour = (
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
): boolean => {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env
  if (forced !== undefined) return !['0', 'false'].includes(forced)
  return isTerminal && !none && terminal !== 'dumb'
}
