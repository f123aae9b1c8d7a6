import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { detectSandbox, type Sandbox } from '@steward/platform'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StandInHost, startStandInHost } from '../egress/testing/stand-in-host.ts'
import { cloneRepository, type RepositoryMount } from './clone-repository.ts'

const TOKEN = 'ghp_0123456789abcdef'
let home = ''
let first = ''
let host: StandInHost
let sandbox: Sandbox

const git = (cwd: string, ...args: string[]): string => {
  const identity = ['-c', 'user.name=T', '-c', 'user.email=t@example.com']
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  const done = spawnSync('git', [...identity, ...args], { cwd, env, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
  return done.stdout.trim()
}

/** Serves a repository's files over HTTP to requests with the token; git can clone from that. */
const answer: RequestListener = (incoming, response) => {
  const path = (incoming.url ?? '').split('?')[0] ?? ''
  const wanted = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString('base64')}`
  if (path.startsWith('/org/forbidden')) return void response.writeHead(403).end()
  if (path.startsWith('/org/private') && incoming.headers.authorization !== wanted) {
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
  }
  const file = join(home, 'served', path.replace(/^\/org\/(private|public)/, ''))
  const isThere = /^\/org\/(private|public)\//.test(path) && existsSync(file)
  if (!isThere) return void response.writeHead(404).end()
  response.end(readFileSync(file))
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'clone-'))
  const source = join(home, 'source')
  git(home, 'init', '--quiet', '--initial-branch=main', source)
  writeFileSync(join(source, 'a.txt'), 'one')
  git(source, 'add', '.')
  git(source, 'commit', '--quiet', '-m', 'one')
  first = git(source, 'rev-parse', 'HEAD')
  writeFileSync(join(source, 'a.txt'), 'two')
  git(source, 'commit', '--quiet', '-am', 'two')
  git(source, 'branch', 'side', first)
  git(home, 'clone', '--quiet', '--bare', source, join(home, 'served'))
  git(join(home, 'served'), 'update-server-info')
  host = await startStandInHost(answer)
  const found = await detectSandbox()
  if (!found.ok) throw found.error
  sandbox = found.value
})
afterAll(async () => {
  await host.close()
  rmSync(home, { recursive: true, force: true })
})

const clone = async (mount: Partial<RepositoryMount> & { url: string }) => {
  const parent = mkdtempSync(join(home, 'parent-'))
  const error = await cloneRepository(
    { type: 'repository', id: 'sesrsc_1', path: '/workspace/repo', token: TOKEN, ...mount },
    {
      sessionId: 'sess_1',
      parent,
      name: 'repo',
      sandbox,
      reach: { dial: host.dial, upstreamCa: [host.ca] },
    },
  )
  return { error, folder: join(parent, 'repo') }
}
const url = 'https://git.test/org/private'

describe('cloneRepository', () => {
  it('clones with a token that is not stored in the clone', async () => {
    const { error, folder } = await clone({ url })
    expect(error).toBeUndefined()
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('two')
    const config = readFileSync(join(folder, '.git/config'), 'utf8')
    expect(config).toContain(`url = ${url}`)
    expect(config).not.toMatch(/x-access-token|ghp_|steward_secret|extraHeader/i)
    expect(existsSync(join(folder, '.git/hooks'))).toBe(false)
    const search = spawnSync('grep', ['-r', '-l', TOKEN, folder], { encoding: 'utf8' })
    expect(search.stdout).toBe('')
  })

  it('checks out a branch or a commit', async () => {
    const branch = await clone({ url, checkout: { type: 'branch', name: 'side' } })
    expect(readFileSync(join(branch.folder, 'a.txt'), 'utf8')).toBe('one')
    const commit = await clone({ url, checkout: { type: 'commit', sha: first } })
    expect(git(commit.folder, 'rev-parse', 'HEAD')).toBe(first)
  })

  it.each([
    ['repository_authentication_error', { url, token: 'wrong-token-1' }],
    ['repository_forbidden_error', { url: 'https://git.test/org/forbidden' }],
    ['repository_not_found_error', { url: 'https://git.test/org/missing' }],
    ['repository_checkout_error', { url, checkout: { type: 'branch', name: 'nope' } }],
    ['repository_checkout_error', { url, checkout: { type: 'commit', sha: 'f'.repeat(40) } }],
    ['repository_clone_error', { url: 'http://git.test/org/private' }],
    ['repository_clone_error', { url: 'https://user:pass@git.test/org/private' }],
    ['repository_clone_error', { url: 'file:///etc' }],
  ] as const)('reports a %s', async (type, mount) => {
    const { error, folder } = await clone(mount)
    expect(error).toMatchObject({ type, repository_url: mount.url })
    expect(error?.message).not.toMatch(/ghp_|wrong-token/)
    expect(existsSync(folder)).toBe(false)
  })
})
