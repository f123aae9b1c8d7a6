const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

export type Paint = Record<keyof typeof STYLES, (text: string) => string>

/** Colours for a terminal; the same functions leave the text alone elsewhere. */
export const paintFor = (colour: boolean): Paint => {
  const style =
    (name: keyof typeof STYLES) =>
    (text: string): string => {
      const [on, off] = STYLES[name]
      return colour ? `\u001b[${on}m${text}\u001b[${off}m` : text
    }
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
  }
}
