/**
 * A regular expression that is tried only on texts with one of the strings that each of its matches
 * contains, in lower case. The hook's build puts it in, see scripts/program/gate-regexes.ts.
 */
export const gateRegex = (regex: RegExp, required: readonly string[]): RegExp => {
  const lacks = (text: string): boolean => {
    const lower = text.toLowerCase()
    return !required.some((each) => lower.includes(each))
  }
  return Object.defineProperties(regex, {
    exec: {
      value: (text: string) => {
        if (!lacks(text)) return RegExp.prototype.exec.call(regex, text)
        if (regex.global) regex.lastIndex = 0
        return null
      },
    },
    [Symbol.matchAll]: {
      value: (text: string) =>
        lacks(text) ? [].values() : RegExp.prototype[Symbol.matchAll].call(regex, text),
    },
  })
}
