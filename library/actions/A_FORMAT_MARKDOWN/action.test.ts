import { expect, test } from 'vitest'
import { runAction } from '../../lib/testing/run-action.ts'
import manifest from './action.json' with { type: 'json' }
import * as action from './action.ts'

const format = (input: Record<string, unknown>) => runAction(manifest, action, input)

test('lays out everything that earlier actions found', async () => {
  const { body, subject } = await format({
    title: 'Why Tides Run Late',
    url: 'https://example.org/tides',
    author: 'Ines Vale',
    published_at: '2026-11-12T07:30:00.000Z',
    one_sentence_summary: 'The sea answers the moon with a delay.',
    summary: 'Friction slows the tide.\n\nHarbours learn the delay by heart.',
    key_points: ['The delay has a name.', '- It differs by port.'],
    labels: ['science', 'climate'],
    rating: 'A',
    quality_score: 78,
    content: 'ignored',
  })
  expect(body).toBe(
    [
      '## [Why Tides Run Late](https://example.org/tides)',
      '*Ines Vale, 12 November 2026*',
      '**The sea answers the moon with a delay.**',
      'Friction slows the tide.',
      'Harbours learn the delay by heart.',
      '- The delay has a name.\n- \\- It differs by port.',
      'Rated A (78 of 100) · Labels: science, climate\n',
    ].join('\n\n'),
  )
  expect(subject).toBe('Why Tides Run Late')
})

test('works without an address, a title or a summary', async () => {
  const { body, subject } = await format({ content: 'A first sentence. A second one.' })
  expect(body).toBe('## A first sentence.\n\nA first sentence. A second one.\n')
  expect(subject).toBe('A first sentence.')
  expect(await format({})).toMatchObject({ body: '## Untitled\n', subject: 'Untitled' })
})

test('a lead that the summary repeats is shown once', async () => {
  const { body } = await format({ title: 'T', one_sentence_summary: 'One.', summary: 'One. Two.' })
  expect(body).toBe('## T\n\nOne. Two.\n')
})

test('titles cannot inject markup, links only lead to the web, subjects stay on one line', async () => {
  const { body, subject } = await format({
    title: 'Free\r\nBcc: all@example.org [click](http://x) <script>',
    url: 'javascript:alert(1)',
    summary: '# not a heading',
    published_at: 'tomorrow',
  })
  expect(body).toBe(
    '## Free Bcc: all@example.org \\[click\\](http://x) \\<script\\>\n\n\\# not a heading\n',
  )
  expect(subject).toBe('Free Bcc: all@example.org [click](http://x) <script>')
})

test('keeps a subject that an earlier action set, and cuts an overlong one', async () => {
  expect(await format({ title: 'T', subject: '[Flow] T' })).toMatchObject({ subject: '[Flow] T' })
  expect(String((await format({ title: 'x'.repeat(500) })).subject)).toHaveLength(150)
})

test('names the field of the wrong type', async () => {
  await expect(format({ title: 5 })).rejects.toThrow('"title" must be a string, found integer 5')
})
