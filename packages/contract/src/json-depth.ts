const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Whether valid JSON nests deeper than `levels`. Reads the text instead of the value, because a
 * walk through the value is slower and may overflow the stack itself.
 */
export const isJsonDeeperThan = (text: string, levels: number): boolean => {
  if (text.length <= levels * 2) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(text, at)
    else if (unit === 0x5b || unit === 0x7b) {
      depth++
      if (depth > levels) return true
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
  return false
}

/** The first quote after an even number of backslashes. The search leaps over long texts. */
const endOfString = (text: string, from: number): number => {
  for (let at = text.indexOf('"', from + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1
    while (text.charCodeAt(before) === BACKSLASH) before--
    if ((at - before) % 2 === 1) return at
  }
  return text.length
}
