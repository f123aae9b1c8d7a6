/** Decodes `%20` and the like; a text with an invalid escape is returned as it is. */
export const decodePercent = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch (thrown) {
    if (thrown instanceof URIError) return text
    throw thrown
  }
}
