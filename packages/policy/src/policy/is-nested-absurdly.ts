const DEEPEST_LEVEL = 500

/**
 * Whether a text of YAML goes deeper than anyone would write. Told by its brackets and dashes alone,
 * quotes or not: the library that reads it takes seconds over such texts before it gives up.
 */
export const isNestedAbsurdly = (text: string): boolean => {
  let level = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    if (bracket === '[' || bracket === '{') level++
    else level = Math.max(0, level - 1)
    if (level > DEEPEST_LEVEL) return true
  }
  return /(?:[-?:][ \t]+){500}/.test(text)
}
