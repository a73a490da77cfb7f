/** The bodies that scenarios pass around. */

/** About 50 bytes of JSON. */
export const small: unknown = { name: 'bench', version: '1.0.0', is_small: true }

/** About 10 kB of JSON: a page of a list. */
export const large: unknown = {
  items: Array.from({ length: 80 }, (_, number) => ({
    id: `item-${number}`,
    name: `The item with the number ${number}`,
    price: 1000 + number,
    tags: ['new', 'on sale'],
    is_available: number % 2 === 0,
  })),
}
