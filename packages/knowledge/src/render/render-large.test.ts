import { expect, it } from 'vitest'
import type { LinkPorts } from './link-ports.ts'
import { createLargeRendering } from './render-large.ts'
import { renderMarkdown } from './render-markdown.ts'

const patient = createLargeRendering({ limitMs: 60_000 })
/** The limit elapses as soon as a thread has the text. */
const impatient = createLargeRendering({
  startTimer: (_, elapse) => {
    const timer = setImmediate(elapse)
    return () => clearImmediate(timer)
  },
})

const PLACES = new Map([
  ['guide', '/wiki/guide'],
  ['a b', '/knowledge/Ideas/a%20b'],
  ['evil', '//elsewhere.example/'],
  ['constructor', '/wiki/constructor'],
])
const ports: LinkPorts = {
  resolveName: (name) => PLACES.get(name),
  resolvePath: (path) => PLACES.get(path.replace(/\.md$/, '')),
}
const LINKS =
  '[[guide]] [[a b.md#Top|words]] [[evil]] [[missing]] [[constructor]] [[#here]] [x](guide.md#a) [y](nothing.md) [z](https://e.example) [h](#top) <b> ![i](guide.md)'
const FILL = '# A heading\n\nSome *words* & `code`.\n\n- one\n- two\n\n|a|b|\n|-|:-:|\n|1|2|\n\n'

it.each([
  ['with links', `---\ntitle: x\n---\n${FILL.repeat(300)}${LINKS}\n\n${FILL}`],
  ['without links', FILL.repeat(300)],
  ['with unknown links only', `${FILL.repeat(300)} [[nobody]]`],
  ['of many links', Array.from({ length: 3000 }, (_, at) => `[[n${at}]] [a](p${at}.md)`).join(' ')],
  ['that is cut', `${FILL.repeat(5000)}${LINKS}`],
  ['of brackets', '['.repeat(100_000)],
])('gives the same for a text %s, directly or in a thread', async (_, text) => {
  expect(await patient(text, ports)).toEqual(renderMarkdown(text, ports))
  expect(await patient(text, {})).toEqual(renderMarkdown(text))
})

it('renders small texts directly', async () => {
  expect(await impatient(LINKS, ports)).toEqual(renderMarkdown(LINKS, ports))
})

it('refuses a text that takes longer than its limit', async () => {
  await expect(impatient('**a'.repeat(80_000), ports)).rejects.toMatchObject({
    code: 'rejected_content',
    message: 'the text to be shown: reading it takes longer than 5000 ms',
  })
})
