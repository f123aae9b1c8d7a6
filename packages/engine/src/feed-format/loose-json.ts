/**
 * Parses JSON, tolerating raw control characters in strings and truncation; `undefined` if it
 * fails.
 */
export const parseLooseJson = (text: string): unknown => {
  const exact = tryParse(text)
  if (exact !== undefined) return exact
  const clean = text.replace(/\p{Cc}/gu, ' ')
  return (
    tryParse(clean) ??
    tryParse(clean.replace(NOT_JSON, '$1null')) ??
    tryParse(closeAfterLastItem(clean))
  )
}

/** Numbers that some programs write but JSON does not allow. */
const NOT_JSON = /([:[,]\s*)-?(?:NaN|Infinity)(?=\s*[,}\]])/g

const tryParse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof RangeError) return undefined
    throw thrown
  }
}

/** Cuts a truncated document after the last complete element of its outermost lists. */
const closeAfterLastItem = (text: string): string => {
  const closers: string[] = []
  let keptEnd = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (isQuoted) {
      if (character === '\\') at++
      else if (character === '"') isQuoted = false
      continue
    }
    if (character === '"') isQuoted = true
    else if (character === '{') closers.push('}')
    else if (character === '[') closers.push(']')
    else if (character === '}' || character === ']') {
      closers.pop()
      if (closers.length === 0) return text.slice(0, at + 1)
      if (closers.length === 2 && closers[1] === ']') keptEnd = at + 1
    }
  }
  return keptEnd === 0 ? '' : `${text.slice(0, keptEnd)}]}`
}
