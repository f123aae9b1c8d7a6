import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHostRules, matchesHost } from './host-rules.ts'
import { parseTarget } from './target.ts'

const limited = (allowedHosts: string[], more: { packages?: boolean; mcpHosts?: string[] } = {}) =>
  createHostRules({
    type: 'limited',
    allowedHosts,
    allowPackageManagers: more.packages ?? false,
    mcpHosts: more.mcpHosts ?? [],
  })

describe('createHostRules', () => {
  it.each([
    ['api.example.com', 443, true],
    ['api.example.com', 80, true],
    ['api.example.com', 22, false],
    ['example.com', 443, false],
    ['evil-api.example.com', 443, false],
    ['api.example.com.evil.test', 443, false],
    ['a.b.example.org', 443, true],
    ['example.org', 443, false],
    ['notexample.org', 443, false],
    ['registry.npmjs.org', 443, false],
    ['mcp.example.net', 8443, true],
    ['mcp.example.net', 443, false],
  ])('limited: %s at %d is %s', (host, port, allowed) => {
    const rules = limited(['API.example.com', '*.example.org'], {
      mcpHosts: ['mcp.example.net:8443'],
    })
    expect(rules(host, port).allowed).toBe(allowed)
  })

  it('names the rule, or the reason of a refusal', () => {
    const rules = limited(['example.com'], { packages: true, mcpHosts: ['mcp.test'] })
    expect(rules('example.com', 443).reason).toBe('allowed_hosts')
    expect(rules('files.pythonhosted.org', 443).reason).toBe('package manager')
    expect(rules('mcp.test', 443).reason).toBe('mcp server')
    expect(rules('example.com', 22).reason).toBe(
      'port 22 of example.com is not allowed, only 80 and 443',
    )
    expect(rules('evil.test', 443).reason).toContain("not among this environment's allowed hosts")
  })

  it('an entry with a port allows only that port, and the refusal names it', () => {
    const rules = limited(['db.example.com:5432', '*.example.org:22', 'git.example.org'])
    expect(rules('db.example.com', 5432).allowed).toBe(true)
    expect(rules('db.example.com', 443).reason).toBe(
      'port 443 of db.example.com is not allowed, only 5432',
    )
    expect(rules('git.example.org', 8080).reason).toMatch(/only 22 and 80 and 443$/)
  })

  it('without a port, judges whether the host may be reached at all', () => {
    const rules = limited(['db.example.com:5432', '*.example.org'])
    expect(rules('db.example.com').allowed).toBe(true)
    expect(rules('a.example.org').allowed).toBe(true)
    expect(rules('example.com').allowed).toBe(false)
    expect(createHostRules({ type: 'unrestricted' })('any.test').allowed).toBe(true)
  })

  it('unrestricted: everything but mail', () => {
    const rules = createHostRules({ type: 'unrestricted' })
    expect(rules('anything.test', 8080).allowed).toBe(true)
    expect(rules('anything.test', 25).allowed).toBe(false)
  })
})

describe('parseTarget', () => {
  it.each([
    ['Example.COM:443', 'example.com', 443],
    ['example.com.:443', 'example.com', 443],
    ['[2606:4700::1111]:443', '[2606:4700::1111]', 443],
    ['0x7f.1:80', '127.0.0.1', 80],
    ['2130706433:80', '127.0.0.1', 80],
    ['bücher.test:443', 'xn--bcher-kva.test', 443],
  ])('%s is %s at %d', (authority, host, port) => {
    expect(parseTarget(authority)).toEqual({ host, port })
  })

  it.each(['', ':443', 'example.com', 'example.com:0', 'example.com:65536', 'a b:443', 'a/b:443'])(
    '%j is not a target',
    (authority) => {
      expect(parseTarget(authority)).toBeUndefined()
    },
  )

  it.each(['user@example.com:443', 'example.com?x:443', 'example.com#x:443', 'evil.test\\@a:443'])(
    '%j cannot disguise its host',
    (authority) => {
      expect(parseTarget(authority)?.host).not.toBe('example.com')
    },
  )

  it('never throws, and normalises consistently', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.domain().map((host) => `${host}:443`),
        ),
        (authority) => {
          const target = parseTarget(authority)
          if (target === undefined) return
          expect(parseTarget(`${target.host}:${target.port}`)).toEqual(target)
        },
      ),
    )
  })
})

describe('matchesHost', () => {
  it('a wildcard matches subdomains', () => {
    expect(matchesHost('*.example.com', 'a.example.com')).toBe(true)
    expect(matchesHost('*.example.com', 'example.com')).toBe(false)
    expect(matchesHost('*.example.com', 'aexample.com')).toBe(false)
  })
})
