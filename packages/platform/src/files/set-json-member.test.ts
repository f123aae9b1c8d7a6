import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { removeJsonMember, setJsonMember } from './set-json-member.ts'

const PATH = ['notifications', 'push', 'topic']

describe('keeps everything else byte for byte', () => {
  test.each([
    ['{}\n', '{\n  "notifications": {\n    "push": {\n      "topic": "t"\n    }\n  }\n}\n'],
    [
      '{\n\t"a": 1.50,\n\t"notifications": {\n\t\t"x": [1,2]\n\t}\n}',
      '{\n\t"a": 1.50,\n\t"notifications": {\n\t\t"x": [1,2],\n\t\t"push": {\n\t\t\t"topic": "t"\n\t\t}\n\t}\n}',
    ],
    [
      '{"notifications":{"push":{"topic":"old","b":2}},"z":"\\u00e4"}',
      '{"notifications":{"push":{"topic":"t","b":2}},"z":"\\u00e4"}',
    ],
    [
      '{ "notifications": { "push": { "enabled": true } } }',
      '{ "notifications": { "push": { "enabled": true, "topic": "t" } } }',
    ],
    [
      '\uFEFF{\r\n    "a": "}{\\"",\r\n    "notifications": {}\r\n}\r\n',
      '\uFEFF{\r\n    "a": "}{\\"",\r\n    "notifications": {\r\n        "push": {\r\n            "topic": "t"\r\n        }\r\n    }\r\n}\r\n',
    ],
    [
      '{"notifications": {"push": {}}, "notifications": {"push": {"topic": 1}}}',
      '{"notifications": {"push": {}}, "notifications": {"push": {"topic": "t"}}}',
    ],
  ])('%j', (before, after) => {
    expect(setJsonMember(before, PATH, 't')).toBe(after)
  })
})

test('in any JSON, however it is written, the member is set and all else stays', () => {
  const spaces = fc.constantFrom(undefined, 1, 2, 4, '\t')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (object, space) => {
      const { notifications: _, ...others } = object
      const given = { ...others, notifications: { push: { server: 'x' }, list: [others] } }
      const changed = setJsonMember(JSON.stringify(given, null, space), PATH, 'a"b')
      const push = { server: 'x', topic: 'a"b' }
      const expected = { ...given, notifications: { ...given.notifications, push } }
      expect(JSON.parse(changed)).toEqual(JSON.parse(JSON.stringify(expected)))
      const again = setJsonMember(changed, PATH, 'c')
      expect(again).toBe(changed.replace('"a\\"b"', '"c"'))
    }),
  )
})

describe('removes a member and keeps everything else byte for byte', () => {
  test.each([
    ['{ "a": 1, "b": 2 }', ['a'], '{ "b": 2 }'],
    ['{ "a": 1, "b": 2 }', ['b'], '{ "a": 1 }'],
    ['{\n  "a": { "c": [1, 2] },\n  "b": 2\n}\n', ['a', 'c'], '{\n  "a": {},\n  "b": 2\n}\n'],
    ['{ "a": 1 }', ['b'], '{ "a": 1 }'],
    ['{ "a": 1 }', ['a', 'b'], '{ "a": 1 }'],
    ['{ "a": 1 }', ['a'], '{}'],
  ])('%s without %j', (text, path, expected) => {
    expect(removeJsonMember(text, path)).toBe(expected)
  })
})
