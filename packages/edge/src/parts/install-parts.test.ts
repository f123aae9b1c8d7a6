import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { findEdgeParts } from '@steward/platform'
import { createTemporaryHome } from '@steward/platform/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { installEdgeParts, removeEdgeParts } from './install-parts.ts'

let folder: ReturnType<typeof createTemporaryHome>
beforeEach(() => {
  folder = createTemporaryHome()
})
afterEach(() => folder.remove())

/** A package with parts of this id, and an npm that runs `script` in the folder it installs into. */
const prepare = (id: string, script: string) => {
  const root = join(folder.path, 'steward')
  const bin = join(folder.path, 'bin')
  mkdirSync(join(root, 'edge'), { recursive: true })
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(root, 'edge', 'parts.json'), JSON.stringify({ id }))
  const packages = {
    '': {},
    'node_modules/a': { integrity: 'x' },
    'node_modules/b': { integrity: 'x' },
    'node_modules/elsewhere': { integrity: 'x', os: ['plan9'] },
  }
  writeFileSync(join(root, 'edge', 'package-lock.json'), JSON.stringify({ packages }))
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  const env = {
    XDG_CACHE_HOME: join(folder.path, 'cache'),
    PATH: `${bin}${delimiter}${process.env.PATH}`,
  }
  const find = () => {
    const parts = findEdgeParts(root, env, '/nowhere')
    if (parts === undefined) throw new Error('no parts')
    return parts
  }
  const shown: string[] = []
  const install = (signal = new AbortController().signal) =>
    installEdgeParts(find(), {
      env,
      signal,
      onProgress: (done, total) => shown.push(`${done}/${total}`),
    })
  return { find, install, shown, parent: join(folder.path, 'cache/steward/edge') }
}

const FETCHES = `
echo "npm http fetch GET 200 https://registry.example/a/-/a-1.0.0.tgz 5ms (cache miss)" >&2
echo "npm warn EBADENGINE Unsupported engine" >&2
echo "npm http fetch GET 200 https://registry.example/b/-/b-1.0.0.tgz 5ms (cache hit)" >&2
mkdir -p node_modules/a && echo "$@" > node_modules/a/arguments`

it('installs with progress, without install scripts, and removes the parts of other versions', async () => {
  const older = prepare('5.0.0-old', FETCHES)
  await older.install()
  const { find, install, shown, parent } = prepare('5.1.0-new', FETCHES)
  expect(find().isInstalled).toBe(false)
  await install()
  expect(find().isInstalled).toBe(true)
  expect(shown).toEqual(['0/2', '1/2', '2/2'])
  expect(readFileSync(join(find().folder, 'node_modules/a/arguments'), 'utf8')).toMatch(
    /^ci --ignore-scripts /,
  )
  expect(readdirSync(parent).filter((name) => name !== 'install.lock')).toEqual(['5.1.0-new'])
  await install()
  expect(shown).toHaveLength(3)
})

it('leaves nothing in place if npm fails, and says why', async () => {
  const { find, install, parent } = prepare(
    '5.0.0-a',
    `echo "npm error code ENOTFOUND" >&2; echo "npm error network request to the registry failed" >&2
echo "npm error A complete log of this run can be found in: x" >&2; exit 1`,
  )
  await expect(install()).rejects.toThrow(
    'the npm registry answered with an error: npm exited with 1: code ENOTFOUND; network request to the registry failed; check the connection, then run steward edge install again',
  )
  expect(find().isInstalled).toBe(false)
  expect(existsSync(join(parent, '5.0.0-a.partial'))).toBe(false)
})

it('stops when it is interrupted', async () => {
  const { find, install } = prepare('5.0.0-a', 'exec sleep 600')
  const abort = new AbortController()
  const installing = install(abort.signal)
  setImmediate(() => abort.abort(new Error('interrupted')))
  await expect(installing).rejects.toThrow('interrupted')
  expect(find().isInstalled).toBe(false)
})

it('removes everything that was fetched', async () => {
  const { find, install, parent } = prepare('5.0.0-a', FETCHES)
  await install()
  expect(await removeEdgeParts(find())).toBe(true)
  expect(existsSync(parent)).toBe(false)
  expect(await removeEdgeParts(find())).toBe(false)
})
