import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { describeRedirect, findRedirectTools } from './redirect-network.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redirect-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const place = (name: string, script = 'exit 0'): string => {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/bash\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

it('names the programs that are missing', () => {
  expect(() => unwrapTools()).toThrow('iproute2 and nftables are missing')
  place('ip')
  expect(() => unwrapTools()).toThrow('nftables is missing')
  place('nft')
  expect(unwrapTools()).toEqual({ ip: join(folder, 'ip'), nft: join(folder, 'nft') })
})

const unwrapTools = () => {
  const found = findRedirectTools(folder)
  if (found.ok) return found.value
  throw found.error
}

const run = (ip: string, nft: string) => {
  const tools = { ip: place('ip', ip), nft: place('nft', nft) }
  const script = describeRedirect(tools, 3129).join('\n')
  return execFileSync('/bin/bash', ['-ec', `${script}\necho ready`], { stdio: 'pipe' }).toString()
}

it('works without IPv6, and fails without routes or rules', () => {
  const noIpv6 = '[ "$1" != -batch ]'
  expect(run('exit 0', 'exit 0')).toBe('ready\n')
  expect(run(noIpv6, 'exit 0')).toBe('ready\n')
  expect(() => run('exit 1', 'exit 0')).toThrow()
  expect(() => run('exit 0', 'exit 1')).toThrow()
})
