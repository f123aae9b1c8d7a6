/**
 * Estimates the tokens of a text from its characters: slightly more than the vendors' tokenizers,
 * so that a budget errs on the safe side. Scripts without spaces count one token per character.
 */
export const estimateTokens = (text: string): number => {
  const dense = text.match(DENSE)?.length ?? 0
  return Math.ceil((text.length - dense) / 3 + dense)
}

const DENSE = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g
