/** What all stand-ins are made of; none of them reads it. */
const NOTHING = /(?:)/

/**
 * A stand-in for a regular expression, which is created when it is first used and tried only on texts
 * with one of the strings, in lower case, that each of its matches contains. The hook's build puts it
 * in, see scripts/program/gate-regexes.ts.
 */
export const gateRegex = (create: () => RegExp, required?: readonly string[]): RegExp => {
  let created: RegExp | undefined
  const regex = (): RegExp => {
    created ??= create()
    return created
  }
  const lacks = (text: string): boolean => {
    if (required === undefined) return false
    const lower = text.toLowerCase()
    if (required.some((each) => lower.includes(each))) return false
    if (created?.global) created.lastIndex = 0
    return true
  }
  return new Proxy(NOTHING, {
    get: (_, key) => {
      if (key === 'test') return (text: string) => !lacks(text) && regex().test(text)
      if (key === 'exec') return (text: string) => (lacks(text) ? null : regex().exec(text))
      if (key === Symbol.matchAll) {
        return (text: string) => (lacks(text) ? [].values() : regex()[Symbol.matchAll](text))
      }
      const value: unknown = Reflect.get(regex(), key, regex())
      return typeof value === 'function' ? value.bind(regex()) : value
    },
    set: (_, key, value) => Reflect.set(regex(), key, value),
  })
}
