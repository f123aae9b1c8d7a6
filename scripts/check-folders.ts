/**
 * Folders within a package import in one direction. This finds folders that import each other,
 * directly or indirectly, and prints the imports that close each cycle. A folder and its subfolders
 * count as one.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FolderImport, findCircles } from './find-circles.ts'

const root = join(import.meta.dirname, '..')
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g

const imports = globSync('packages/*/src/**/*.{ts,svelte}', { cwd: root })
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  .flatMap((file): FolderImport[] =>
    [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, specifier = '']) => ({
      file,
      from: dirname(file),
      to: dirname(join(dirname(file), specifier)),
    })),
  )

const circles = findCircles(imports)
for (const { folders, files } of circles) {
  console.error(`${folders.join(' <> ')}\n${files.map((file) => `  ${file}\n`).join('')}`)
}
if (circles.length > 0) process.exit(1)
console.log(`no circular imports between folders (${imports.length} imports)`)
