/** A piece of a sentence: words, or code between backticks. */
export interface CodedPart {
  text: string
  isCode: boolean
}

/** Messages mark code with backticks, as Markdown does; an unpaired one is a plain character. */
export const readCoded = (text: string): CodedPart[] => {
  const parts = text.split('`')
  const isPaired = parts.length % 2 === 1
  if (!isPaired) return [{ text, isCode: false }]
  return parts
    .map((part, at) => ({ text: part, isCode: at % 2 === 1 }))
    .filter((part) => part.text !== '')
}
