import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { refusePushes } from './refuse-pushes.ts'

it('lets git fetch and commit, but not push', async () => {
  const root = mkdtempSync(join(tmpdir(), 'steward-push-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [remote, work] = [join(root, 'remote.git'), join(root, 'work')]
  // The person's own settings stay.
  const who = { GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'T' }
  const mail = { GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: 't@t' }
  const env = { ...process.env, ...who, ...mail }
  const refusing = async (): Promise<NodeJS.ProcessEnv> => ({ ...(await refusePushes(env, work)) })
  let refused = await refusing()
  const git = (args: string[], environment: NodeJS.ProcessEnv = refused) =>
    execFileSync('git', args, { env: environment, encoding: 'utf8', stdio: 'pipe' })
  git(['init', '--quiet', '--bare', remote])
  git(['clone', '--quiet', remote, work])
  git(['-C', work, 'commit', '--quiet', '--allow-empty', '-m', 'first'])
  git(['-C', work, 'fetch', 'origin'])
  for (const target of ['origin', remote]) {
    expect(() => git(['-C', work, 'push', target, 'HEAD:x'])).toThrow('pushing-was-not-requested')
  }
  expect(git(['-C', remote, 'branch', '--list'])).toBe('')
  git(['-C', work, 'push', 'origin', 'HEAD:x'], env)
  expect(git(['-C', remote, 'branch', '--list']).trim()).toBe('x')

  // An address only for pushing.
  const other = join(root, 'other.git')
  git(['init', '--quiet', '--bare', other])
  git(['-C', work, 'remote', 'set-url', '--push', 'origin', other])
  refused = await refusing()
  git(['-C', work, 'fetch', 'origin'])
  for (const target of ['origin', other]) {
    expect(() => git(['-C', work, 'push', target, 'HEAD:x'])).toThrow('pushing-was-not-requested')
  }
  expect(git(['-C', other, 'branch', '--list'])).toBe('')
})
