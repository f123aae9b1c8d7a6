import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Program } from './bundle-program.ts'

/** The bundler escapes other characters in strings, but leaves them in regular expressions. */
const NOT_ASCII = /\P{ASCII}/u

/** Writes a program into the folder that the launcher's `runBundled` gets. */
export const writeProgram = async (
  folder: string,
  { files, hostFiles, main, id }: Program,
): Promise<void> => {
  await mkdir(join(folder, 'chunks'), { recursive: true })
  await Promise.all([...files].map(([name, text]) => writeFile(join(folder, 'chunks', name), text)))
  for (const [path, text] of hostFiles) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  // The others are read in a third of the time.
  const wide = [...files].filter(([, text]) => NOT_ASCII.test(text)).map(([name]) => name)
  await writeFile(join(folder, 'program.json'), JSON.stringify({ main, id, wide }))
}
