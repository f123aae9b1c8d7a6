/** The complete input of a tool: its only text, or the fields by name. */
export const showInput = (input: Readonly<Record<string, unknown>>): string => {
  const fields = Object.entries(input)
  const [only] = fields
  if (only === undefined) return '(nothing)'
  if (fields.length === 1 && typeof only[1] === 'string') return only[1]
  return fields
    .map(
      ([name, value]) =>
        `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`,
    )
    .join('\n')
}
