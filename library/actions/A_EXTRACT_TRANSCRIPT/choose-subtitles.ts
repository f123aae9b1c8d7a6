/** A subtitle file and the language its name gives. */
export interface Subtitles {
  language: string
  text: string
}

/** The best of `transcript.<language>.vtt` files: the language asked for, a variant of it, the video's own. */
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
