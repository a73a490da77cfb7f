import autobahn from 'autobahn'

const books = [
  { isbn: '9780140449136', title: 'The Odyssey', author: 'Homer' },
  { isbn: '9780141439518', title: 'Pride and Prejudice', author: 'Jane Austen' },
  { isbn: '9780486280615', title: 'Walden', author: 'Henry David Thoreau' },
]

function getBook([isbn]) {
  const book = books.find((book) => book.isbn === isbn)
  if (!book) throw new autobahn.Error('com.example.books.error.not_found', ['there is no such book'], { isbn })
  return book
}

function addBook(args, { isbn, title, author }) {
  const book = { isbn, title, author }
  books.push(book)
  return book
}

const covers = new Map()

function getCover(args, { isbn }) {
  const cover = covers.get(isbn)
  if (!cover) throw new autobahn.Error('com.example.books.error.not_found', ['the book has no cover'], { isbn })
  return cover
}

const connection = new autobahn.Connection({
  url: 'ws://127.0.0.1:8080/ws',
  realm: 'com.example.books',
  max_retries: -1,
  initial_retry_delay: 0.1,
  max_retry_delay: 2,
})

connection.onopen = async (session) => {
  await session.register('com.example.books.list', (args, { limit = 2, offset = 0 }) => ({
    books: books.slice(offset, offset + limit),
    total: books.length,
  }))
  await session.register('com.example.books.get', getBook)
  await session.register('com.example.books.add', addBook)
  await session.register('com.example.books.cover', getCover)
  await session.register('com.example.books.set_cover', ([isbn, image]) => void covers.set(isbn, image))
  await session.register('com.example.books.titles', () => books.map(({ title }) => `${title}\n`).join(''))
  await session.subscribe('com.example.books.on_add', ([isbn]) => console.log(`on_add: ${isbn}`))
  console.log('the bookshop is open')
}

connection.open()
