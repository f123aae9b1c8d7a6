import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** The readable entry is bundled into `index.js`, the facts stay here, and the rest is wrangler's own. */
const NOT_UPLOADED = new Set(['src', 'steward.json', '.wrangler', 'node_modules'])

/** SHA-256 over names and bytes of what a deploy of the directory uploads; equal means nothing to do. */
export const hashDirectory = async (directory: string): Promise<string> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !NOT_UPLOADED.has(file.split('/')[0] ?? ''))
  const hash = createHash('sha256')
  for (const file of files.toSorted()) {
    const bytes = await readFile(join(directory, file))
    hash.update(`${JSON.stringify(file)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}
