/**
 * `npm run generate`: writes the files derived from the contract. With `--check`: names each file
 * that differs.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { listStale, renderDerivedFiles, writeStale } from './generate/derived-files.ts'

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, root: { type: 'string' } },
})
const root = values.root ?? join(import.meta.dirname, '..')
const files = await renderDerivedFiles()

if (values.check) {
  const stale = listStale(files, root)
  for (const path of stale) console.error(`${path} differs from the contract`)
  if (stale.length > 0) {
    console.error('run `npm run generate` and commit the result')
    process.exit(1)
  }
} else {
  for (const path of writeStale(files, root)) console.log(`wrote ${path}`)
}
