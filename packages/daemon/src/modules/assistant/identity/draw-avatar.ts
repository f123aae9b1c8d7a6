import { createHash } from 'node:crypto'

const SIZE = 128
const PETALS_LEAST = 5
const PETALS_MORE = 7

/**
 * A generated avatar: rings of petals around the first letter. The name sets the rotation, the
 * colour the hue, energy the number of petals, warmth their roundness. The result is deterministic.
 */
export const drawAvatar = (
  name: string,
  color: string,
  traits: Readonly<Record<string, number>>,
): string => {
  const digest = createHash('sha256').update(name).digest()
  const turn = ((digest[0] ?? 0) / 256) * 360
  const petals = PETALS_LEAST + Math.round(((traits.energy ?? 50) / 100) * PETALS_MORE)
  const width = 12 + ((traits.warmth ?? 50) / 100) * 16
  const reach = 26 + ((traits.expressiveness ?? 50) / 100) * 14
  const middle = SIZE / 2
  const shapes = Array.from({ length: petals }, (_, index) => {
    const angle = (turn + (index * 360) / petals).toFixed(2)
    return `<ellipse cx="${middle}" cy="${(middle - reach).toFixed(2)}" rx="${width.toFixed(2)}" ry="22" transform="rotate(${angle} ${middle} ${middle})"/>`
  }).join('')
  const letter = escapeXml([...name.trim()][0]?.toUpperCase() ?? 'S')
  const title = escapeXml(name)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}" role="img">`,
    `<title>${title}</title>`,
    `<g fill="${color}" fill-opacity="0.35">${shapes}</g>`,
    `<circle cx="${middle}" cy="${middle}" r="34" fill="${color}"/>`,
    `<text x="${middle}" y="${middle}" fill="#fff" font-family="system-ui, sans-serif" font-size="36" font-weight="600" text-anchor="middle" dominant-baseline="central">${letter}</text>`,
    '</svg>',
  ].join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** XML does not allow control characters. */
const escapeXml = (text: string): string =>
  [...text.replace(/\p{Cc}|\p{Cs}/gu, '')].map((char) => ESCAPES[char] ?? char).join('')
