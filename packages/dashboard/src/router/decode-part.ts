/** A part of a path as text; a stray % is kept. */
export const decodePart = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
