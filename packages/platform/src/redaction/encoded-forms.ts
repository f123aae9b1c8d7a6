/** Every spelling a value commonly leaks in: as it is, escaped for JSON, percent-encoded, hex, base64. */
export const encodedForms = (value: string): string[] => {
  const bytes = new TextEncoder().encode(value)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const forms = [value, hex, hex.toUpperCase(), ...jsonForms(value), ...urlForms(value)]
  return [...new Set([...forms, ...base64Forms(bytes)])]
}

/** JSON inside of JSON escapes twice; some writers also escape slashes, or all that is not ASCII. */
const jsonForms = (value: string): string[] => {
  const once = escapeJson(value)
  const slashed = once.replaceAll('/', '\\/')
  const plain = once.replace(/[^ -~]/g, (unit) => `\\u${hexUnit(unit)}`)
  return [once, slashed, plain, escapeJson(once), escapeJson(slashed), escapeJson(plain)]
}

const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const hexUnit = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0')

const urlForms = (value: string): string[] => {
  const whole = value.toWellFormed()
  const component = encodeURIComponent(whole)
  const strict = component.replace(/[!'()*]/g, percentEncode)
  const upper = [
    component,
    strict,
    encodeURI(whole),
    new URLSearchParams([['', value]]).toString().slice(1),
  ]
  return upper.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, lowerCase)])
}

const percentEncode = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

const lowerCase = (text: string): string => text.toLowerCase()

/**
 * Base64 spells the same bytes in three ways, depending on how many bytes stand before them. The
 * search uses the letters of each form that depend only on the value.
 */
const base64Forms = (bytes: Uint8Array): string[] =>
  [0, 1, 2].flatMap((before) => {
    const encoded = btoa('\0'.repeat(before) + Array.from(bytes, toLatin).join(''))
    const own = encoded.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    )
    return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })

const toLatin = (byte: number): string => String.fromCharCode(byte)
