import MarkdownIt from 'markdown-it'

/** Longer text is sent as it is: no person reads so much in a mail, and rendering takes time. */
const LONGEST_CHARS = 100_000
const MOST_LINES = 5000

/** Tags are shown as text, and a line break stays one, because the body may also be plain text. */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true })

/** A picture from elsewhere would tell its server who reads the mail, and when: it becomes a link. */
markdown.renderer.rules.image = (tokens, index, _options, _env, renderer) => {
  const token = tokens[index]
  const address = markdown.utils.escapeHtml(String(token?.attrGet('src') ?? ''))
  const text = renderer.renderInlineAsText(token?.children ?? [], markdown.options, {})
  return `<a href="${address}">${markdown.utils.escapeHtml(text || 'picture')}</a>`
}

const STYLE = 'font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 0 auto; padding: 1em'

/** The body as a page, for mail programs that show one; undefined if it is too long. */
export const renderHtml = (body: string, subject: string): string | undefined => {
  if (body.length > LONGEST_CHARS || body.split('\n').length > MOST_LINES) return undefined
  const title = markdown.utils.escapeHtml(subject)
  return [
    '<!doctype html>',
    `<html><head><meta charset="utf-8"><title>${title}</title></head>`,
    `<body style="${STYLE}">`,
    markdown.render(body).trimEnd(),
    '</body></html>',
    '',
  ].join('\n')
}
