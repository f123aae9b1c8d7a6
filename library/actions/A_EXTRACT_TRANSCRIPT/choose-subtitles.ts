/** A subtitle file and the language in its name. */
export interface Subtitles {
  language: string
  text: string
}

/**
 * The best of the `transcript.<language>.vtt` files: the requested language, a variant of it, or
 * the original.
 */
export const chooseSubtitles = (
  files: Readonly<Record<string, string>>,
  language: string,
): Subtitles | undefined => {
  const found = Object.entries(files)
    .map(([name, text]) => ({
      language: /^transcript\.(.+)\.(?:vtt|srt)$/.exec(name)?.[1] ?? '',
      text,
    }))
    .filter((file) => file.language !== '' && file.text.trim() !== '')
  return found.toSorted((a, b) => rank(a.language, language) - rank(b.language, language))[0]
}

const rank = (found: string, wanted: string): number => {
  const [low, asked] = [found.toLowerCase(), wanted.toLowerCase()]
  if (low === asked) return 0
  if (low === `${asked}-orig`) return 1
  if (low.startsWith(`${asked}-`)) return 2
  return low.endsWith('-orig') ? 3 : 4
}
