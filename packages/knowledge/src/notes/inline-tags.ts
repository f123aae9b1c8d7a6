import { maskCode } from './links/mask-code.ts'

/** At the start of a line or after a blank, so that anchors in addresses do not count. */
const TAG = /(?:^|[\s(])#([\p{L}\p{N}_/-]{1,60})(?![\p{L}\p{N}_/#-])/gmu

/** The `#tags` in a text, in order; numbers (`#12`) and code do not count. */
export const findInlineTags = (body: string): string[] => {
  if (!body.includes('#')) return []
  const found = [...maskCode(body).matchAll(TAG)].map(([, tag = '']) =>
    tag.replaceAll(/^\/+|\/+$/g, ''),
  )
  return [...new Set(found.filter((tag) => /[^\d/]/.test(tag)))]
}
