import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder for one test. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const writeFiles = (root: string, files: Readonly<Record<string, string>>): void => {
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

/** Every file below a folder by relative path, so that two trees can be compared. */
export const readTree = (root: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted()
      .map((file) => [file.slice(root.length + 1), readFileSync(file, 'utf8')]),
  )
