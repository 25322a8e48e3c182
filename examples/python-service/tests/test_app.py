import json
import unittest
from wsgiref.util import setup_testing_defaults

from service.app import app, discounted


class Discounts(unittest.TestCase):
    def test_rounds_in_the_customers_favour(self):
        self.assertEqual(discounted(999, 10), 899)

    def test_refuses_what_is_no_discount(self):
        with self.assertRaises(ValueError):
            discounted(100, 101)


class Service(unittest.TestCase):
    def get(self, path):
        environ, said = {}, []
        setup_testing_defaults(environ)
        environ["PATH_INFO"] = path
        body = b"".join(app(environ, lambda status, headers: said.append(status)))
        return said[0], json.loads(body)

    def test_answers_the_price(self):
        self.assertEqual(self.get("/1000/25"), ("200 OK", {"cents": 750}))

    def test_refuses_a_path_that_is_no_price(self):
        self.assertEqual(self.get("/free")[0], "400 Bad Request")
