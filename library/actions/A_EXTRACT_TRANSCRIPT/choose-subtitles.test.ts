import { expect, test } from 'vitest'
import { chooseSubtitles } from './choose-subtitles.ts'

const files = (...languages: string[]) =>
  Object.fromEntries(languages.map((language) => [`transcript.${language}.vtt`, language]))

test.each([
  [['de-orig', 'en-US', 'en', 'en-orig'], 'en', 'en'],
  [['de-orig', 'en-US', 'en-orig'], 'en', 'en-orig'],
  [['de-orig', 'en-US'], 'en', 'en-US'],
  [['fr', 'de-orig'], 'en', 'de-orig'],
  [['pt-br'], 'pt-BR', 'pt-br'],
])('of %j for %s it takes %s', (languages, wanted, language) => {
  expect(chooseSubtitles(files(...languages), wanted)).toEqual({ language, text: language })
})

test('empty files and other files are not subtitles', () => {
  expect(chooseSubtitles({ 'transcript.en.vtt': ' ', 'notes.txt': 'x' }, 'en')).toBeUndefined()
})
