/**
 * `npm run release VERSION`: sets the version everywhere, runs all checks, packs, and writes
 * `dist/SHA256SUMS` and `dist/RELEASE_NOTES.md`. It commits and publishes nothing.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reasonOf } from '@steward/contract'
import { checkVersion, releaseChangelog } from './release/changelog.ts'
import { setLockVersion, setManifestVersion } from './release/set-version.ts'

const root = join(import.meta.dirname, '..')
const inRoot = (path: string): string => join(root, path)
const read = (path: string): string => readFileSync(inRoot(path), 'utf8')
const write = (path: string, text: string): void => writeFileSync(inRoot(path), text)
const run = (command: string, ...args: string[]): void => {
  console.error(`$ ${command} ${args.join(' ')}`)
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
}

const VERSIONS = 'packages/contract/src/versions.ts'

const setVersion = (from: string, to: string): void => {
  const folders = readdirSync(inRoot('packages')).map((name) => `packages/${name}`)
  const manifests = ['.', 'library', ...folders].map((folder) => `${folder}/package.json`)
  for (const file of [...manifests, 'plugin/.claude-plugin/plugin.json']) {
    write(file, setManifestVersion(read(file), from, to))
  }
  write('package-lock.json', setLockVersion(read('package-lock.json'), from, to))
  write(
    VERSIONS,
    read(VERSIONS).replace(`PLATFORM_VERSION = '${from}'`, `PLATFORM_VERSION = '${to}'`),
  )
}

/** Set once files are changed. */
let isChanged = false

const release = (version: string): void => {
  const current = /PLATFORM_VERSION = '([^']+)'/.exec(read(VERSIONS))?.[1] ?? ''
  // The first release has the version that is set; the changelog refuses one that was released.
  if (version !== current) checkVersion(version, current)
  const status = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' })
  if (status !== '') throw new Error('there are uncommitted changes')
  const day = new Date().toISOString().slice(0, 10)
  const { text, notes } = releaseChangelog(read('CHANGELOG.md'), version, day)
  isChanged = true
  setVersion(current, version)
  write('CHANGELOG.md', text)
  run('npm', 'run', 'generate')
  run('npm', 'test')
  run('npm', 'run', 'pack', '--', '--release')
  const packed = `steward-${version}.tgz`
  const sum = createHash('sha256')
    .update(readFileSync(inRoot(`dist/${packed}`)))
    .digest('hex')
  write('dist/SHA256SUMS', `${sum}  ${packed}\n`)
  write('dist/RELEASE_NOTES.md', notes)
  console.log(`dist/${packed}, dist/SHA256SUMS and dist/RELEASE_NOTES.md are ready`)
}

try {
  release(process.argv[2] ?? '')
} catch (thrown) {
  console.error(`not released: ${reasonOf(thrown)}`)
  if (isChanged) console.error('The files have the new version. To undo that, run: git restore .')
  process.exitCode = 1
}
