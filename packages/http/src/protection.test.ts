import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkContent, checkHost, checkOrigin, checkTarget } from './protection.ts'

describe('the Host header', () => {
  const arrival = { localAddress: '127.0.0.1', localPort: 31337 }

  it.each(['127.0.0.1:31337', 'localhost:31337', 'LOCALHOST:31337', '[::1]:31337'])(
    'is ours: %s',
    (host) => {
      expect(checkHost([host], arrival)).toBeUndefined()
    },
  )

  it.each([
    'evil.example:31337',
    'localhost.evil.example:31337',
    'localhost',
    'localhost:80',
    '127.0.0.1:313370',
    '127.0.0.2:31337',
    '10.0.0.5:31337',
    'user@localhost:31337',
    'localhost:31337/',
    'localhost:31337, evil.example',
    '[::1',
    '::1:31337',
    '0x7f.1:31337',
    'localhost.:31337',
    '',
    ' ',
    '\u0000',
  ])('is foreign: %j', (host) => {
    expect(checkHost([host], arrival)?.code).toBe('foreign_host')
  })

  it('is refused when it is missing or there twice', () => {
    expect(checkHost([], arrival)?.code).toBe('foreign_host')
    expect(checkHost(['localhost:31337', 'localhost:31337'], arrival)?.code).toBe('foreign_host')
  })

  it('may be the very address that the connection came in on', () => {
    const lan = { localAddress: '::ffff:192.168.1.7', localPort: 31337 }
    expect(checkHost(['192.168.1.7:31337'], lan)).toBeUndefined()
    expect(checkHost(['192.168.1.8:31337'], lan)?.code).toBe('foreign_host')
    const six = { localAddress: 'fd00::7', localPort: 31337 }
    expect(checkHost(['[fd00::7]:31337'], six)).toBeUndefined()
  })

  it('on port 80 needs no port', () => {
    expect(checkHost(['localhost'], { ...arrival, localPort: 80 })).toBeUndefined()
  })

  it('never throws, and only accepts the few names', () => {
    const ours = new Set(['127.0.0.1:31337', 'localhost:31337', '[::1]:31337'])
    fc.assert(
      fc.property(fc.string(), (host) => {
        const refused = checkHost([host], arrival) !== undefined
        expect(refused).toBe(!ours.has(host.toLowerCase()))
      }),
    )
  })
})

describe('the Origin', () => {
  const facts = {
    method: 'POST',
    isPage: false,
    host: 'localhost:31337',
    origin: undefined,
    fetchSite: undefined,
    fetchMode: undefined,
    fetchDest: undefined,
  }

  it('is missing for programs that are not browsers, which pass', () => {
    expect(checkOrigin(facts)).toBeUndefined()
  })

  it('of our own page passes', () => {
    const own = { ...facts, origin: 'http://localhost:31337', fetchSite: 'same-origin' }
    expect(checkOrigin(own)).toBeUndefined()
  })

  it.each([
    'null',
    'http://evil.example',
    'https://localhost:31337',
    'http://localhost:3000',
    'http://127.0.0.1:31337',
    'http://localhost:31337.evil.example',
    '',
  ])('%j is refused, on reads too', (origin) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE']) {
      expect(checkOrigin({ ...facts, method, origin })?.code).toBe('foreign_origin')
    }
  })

  it.each(['cross-site', 'same-site', 'anything'])('Sec-Fetch-Site: %s is refused', (fetchSite) => {
    expect(checkOrigin({ ...facts, fetchSite })?.code).toBe('foreign_origin')
    expect(checkOrigin({ ...facts, method: 'GET', fetchSite })?.code).toBe('foreign_origin')
  })

  it('of a link that a person follows to a page is fine, to the API it is not', () => {
    const link = {
      ...facts,
      method: 'GET',
      fetchSite: 'cross-site',
      fetchMode: 'navigate',
      fetchDest: 'document',
    }
    expect(checkOrigin({ ...link, isPage: true })).toBeUndefined()
    expect(checkOrigin({ ...link, isPage: false })?.code).toBe('foreign_origin')
    expect(checkOrigin({ ...link, isPage: true, fetchDest: 'iframe' })?.code).toBe('foreign_origin')
  })
})

describe('the path', () => {
  it.each(['/', '/api/runs', '/api/runs/01ABC', '/a%20b', '/caf%C3%A9', '/x?q=../..%00'])(
    '%s may be asked for',
    (target) => {
      expect(checkTarget(target)).toBeUndefined()
    },
  )

  it.each([
    '/api/runs/..',
    '/api/runs/../..',
    '/api/runs/%2e%2e',
    '/api/runs/%2E%2e/x',
    '/api/runs/.%2e',
    '/./x',
    '/api/runs/..%2f..',
    '/api/runs/a%2Fb',
    '/api/runs/a%5cb',
    '/api/runs/a\\b',
    '/api/runs/a%00',
    '/api/runs/%',
    '/api/runs/%zz',
    '/api/runs/%c0%ae%c0%ae',
    '/api/runs/a b',
    '/api/runs/<x>',
    '//evil.example/x',
    'http://evil.example/',
    '*',
    '',
    `/${'a'.repeat(5000)}`,
  ])('%s is refused', (target) => {
    expect(checkTarget(target)?.code).toBe('invalid_input')
  })

  it('that passes can always be decoded, and no segment of it leads elsewhere', () => {
    const piece = fc.constantFrom('.', '%2e', '/', '%2f', '%5C', '%00', 'a', '%', '%c3', '\\', ' ')
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const target = `/${pieces.join('')}`
        if (checkTarget(target) !== undefined) return
        for (const segment of target.split('/')) {
          const name = decodeURIComponent(segment)
          expect(name === '.' || name === '..').toBe(false)
          expect(name).not.toMatch(/[\0/\\]/)
        }
      }),
    )
  })
})

describe('the content type', () => {
  const facts = {
    method: 'POST',
    contentType: undefined,
    contentEncoding: undefined,
    hasBody: true,
  }

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;x=y'])(
    '%s is JSON',
    (contentType) => {
      expect(checkContent({ ...facts, contentType })).toBeUndefined()
    },
  )

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/plain; application/json',
    'application/json-patch+json',
  ])('%s is refused on everything that changes', (contentType) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(checkContent({ ...facts, method, contentType })?.code).toBe('unsupported_media_type')
    }
  })

  it('is asked for on an empty POST too, which a form can send', () => {
    expect(checkContent({ ...facts, hasBody: false })?.code).toBe('unsupported_media_type')
    expect(checkContent({ ...facts, method: 'DELETE', hasBody: false })).toBeUndefined()
  })

  it('of a read does not matter, but it has no body', () => {
    const read = { ...facts, method: 'GET', contentType: 'text/plain' }
    expect(checkContent({ ...read, hasBody: false })).toBeUndefined()
    expect(checkContent({ ...read, hasBody: true })?.code).toBe('invalid_input')
  })

  it('may be protobuf only where that is taken, and never what a page can send', () => {
    const protobuf = { ...facts, contentType: 'application/x-protobuf' }
    expect(checkContent({ ...protobuf, takesProtobuf: true })).toBeUndefined()
    expect(checkContent(protobuf)?.code).toBe('unsupported_media_type')
    for (const contentType of [undefined, 'text/plain', 'text/plain; application/x-protobuf']) {
      const asked = { ...facts, contentType, takesProtobuf: true }
      expect(checkContent(asked)?.code).toBe('unsupported_media_type')
    }
  })

  it('does not help a compressed body', () => {
    const packed = { ...facts, contentType: 'application/json', contentEncoding: 'gzip' }
    expect(checkContent(packed)?.code).toBe('unsupported_media_type')
  })
})
